//! Says all that it reads of a window and calls every function of the host, as its
//! twins in the other languages.

use oriel::*;

const COLUMNS: &str = "id states total first parent subtree ifaces surface bounds has name description text label count role end \
    sensitive child within find click class described";

fn words(s: &str) -> Vec<String> {
    s.split_whitespace().map(String::from).collect()
}

fn rect(r: Rect) -> Value {
    format!("{},{},{},{}", r.x, r.y, r.w, r.h).into()
}

fn id(n: u64) -> Value {
    n.to_string().into()
}

fn index(n: Option<Node>) -> Value {
    n.map_or(-1, |n| n.index() as i64).into()
}

fn int(n: impl Into<i64>) -> Value {
    n.into().into()
}

fn window(t: &Tree) -> Block {
    let (w, f, partial) = (t.window(), t.frame(), t.partial());
    Block::new(
        "window",
        Content::Fields(vec![
            Field::new("handle", id(w.handle)),
            Field::new("owner", id(w.owner)),
            Field::new("class", w.class),
            Field::new("instance", w.instance),
            Field::new("app", w.app),
            Field::new("process", w.process),
            Field::new("version", w.app_version),
            Field::new("toolkit", w.toolkit),
            Field::new("role", w.role),
            Field::new("bounds", rect(w.bounds)),
            Field::new("modal", w.modal),
            Field::new("states", int(w.states)),
            Field::new("surfaces", w.surfaces as i64),
            Field::new("digest", f.digest),
            Field::new("width", int(f.w)),
            Field::new("height", int(f.h)),
            Field::new("partial", partial.is_some()),
            Field::new("why", partial.unwrap_or_default()),
        ]),
    )
}

fn nodes(t: &Tree) -> Block {
    let row = |n: Node| {
        vec![
            id(n.id()),
            id(n.states()),
            n.children_total().into(),
            n.children_first().into(),
            index(n.parent()),
            (n.subtree() as i64).into(),
            int(n.ifaces()),
            int(n.surface()),
            rect(n.window_bounds()),
            n.has_bounds().into(),
            n.name().into(),
            n.description().into(),
            n.text().into(),
            n.label().into(),
            int(n.children_count()),
            int(n.role()),
            int(n.end()),
            n.sensitive().into(),
            index(n.child(1)),
            index(n.within(role::TABLE)),
            index(n.find(role::LABEL)),
            n.action("click").map_or(-1, |i| i as i64).into(),
            n.attribute("class").into(),
            index(n.related(relation::DESCRIBED_BY)),
        ]
    };
    Block::new("nodes", Content::Table { columns: words(COLUMNS), rows: t.nodes().map(row).collect() })
}

fn sides(t: &Tree) -> Block {
    let mut rows: Vec<Vec<Value>> = Vec::new();
    for n in t.nodes() {
        let mut add = |kind: &str, s: Vec<Value>| {
            let mut row = vec![Value::Int(n.index() as i64), kind.into()];
            row.extend(s);
            row.resize(8, Value::Null);
            rows.push(row);
        };
        for (k, v) in n.attributes() {
            add("attribute", vec![k.into(), v.into()]);
        }
        for (i, a) in n.actions().enumerate() {
            add("action", vec![(i as i64).into(), a.name.into(), a.description.into(), a.binding.into()]);
        }
        for (kind, target) in n.relations() {
            add("relation", vec![int(kind), id(target)]);
        }
        if let Some(v) = n.value() {
            add("value", vec![v.current.into(), v.min.into(), v.max.into(), v.step.into()]);
        }
        if let Some(x) = n.text_info() {
            add("text", vec![int(x.caret), int(x.start), int(x.end), x.length.into(), x.first.into()]);
        }
        if let Some(x) = n.table() {
            add("table", vec![x.rows.into(), x.columns.into()]);
        }
        if let Some(c) = n.cell() {
            add("cell", vec![int(c.row), int(c.column), int(c.row_span), int(c.column_span), id(c.row_header), id(c.column_header)]);
        }
    }
    Block::new("sides", Content::Table { columns: words("node kind a b c d e f"), rows })
}

fn translate(t: &Tree) -> Result<View, Fault> {
    let items = vec![
        Value::Null,
        true.into(),
        false.into(),
        i64::MIN.into(),
        0.1.into(),
        1e300.into(),
        (-2.5e-7).into(),
        5e-324.into(),
        "x".into(),
    ];
    Ok(View {
        title: t.window().title.into(),
        summary: "All that is there.".into(),
        blocks: vec![
            window(t),
            nodes(t),
            sides(t),
            Block {
                sensitive: true,
                ..Block::new("notice", Content::Notice { text: "a\"b\\c\n\t\r\u{1}\u{7f}Ä€😀".into(), severity: "warn" })
            },
            Block { truncated: true, offset: 3, total: 20, ..Block::new("list", Content::List { items, ordered: true }) },
            Block::new("media", Content::Media { region: Rect { x: -1, y: 0, w: 2, h: 3 }, alt: "a picture".into() }),
            Block::new("custom", Content::Custom(Value::object([("a", Value::Array(vec![Value::Int(1)]))]))),
        ],
        actions: vec![Action {
            name: "echo".into(),
            title: "Echo".into(),
            description: "Gives back.".into(),
            input: r#"{"type":"object"}"#.into(),
            output: r#"{"type":"object"}"#.into(),
            read_only: true,
            idempotent: true,
            ..Action::default()
        }],
        app_actions: vec![Action {
            name: "quit".into(),
            title: "Quit".into(),
            description: "Ends it.".into(),
            destructive: true,
            open_world: true,
            unavailable: "not now".into(),
            patience: 1500,
            ..Action::default()
        }],
    })
}



fn region(v: &Value) -> Option<Rect> {
    let get = |key| v.get("region").get(key).int() as i32;
    match v.get("region") {
        Value::Object(_) => Some(Rect { x: get("x"), y: get("y"), w: get("w"), h: get("h") }),
        _ => None,
    }
}

fn seen(o: Observation) -> Result<Vec<Value>, Fault> {
    let t = o.tree()?;
    Ok(vec![t.window().title.into(), (t.len() as i64).into(), id(t.root().map_or(0, |n| n.id()))])
}

fn text_of(b: Vec<u8>) -> Value {
    String::from_utf8_lossy(&b).into()
}

fn act(action: &str, v: &Value) -> Result<Vec<Value>, Fault> {
    let (text, data, flag) = (v.get("text").text(), v.get("data").text(), v.get("flag").bool());
    let (n, m, a, b) = (v.get("n").int() as i32, v.get("m").int() as i32, v.get("a").int(), v.get("b").int());
    let node: u64 = v.get("id").text().parse().unwrap_or(0);
    let list: Vec<&str> = v.get("list").elements().iter().map(|s| s.text()).collect();
    let pointer = Pointer { x: n, y: m, button: text, modifiers: &list, ..Pointer::default() };
    match action {
        "refuse" => return Err(Fault::new(text.to_string(), data)),
        "invalid" => return Err(Fault::invalid(text, data)),
        "until" => return seen(wait_until(a, |t| t.window().title == text)?),
        "oriel:tree observe" => return seen(observe()?),
        "oriel:tree children" => return seen(children(node, a, n)?),
        "oriel:tree cells" => return seen(cells(node, a, b, n, m)?),
        "oriel:tree text" => return Ok(vec![read_text(node, a, n)?.into()]),
        "oriel:a11y action" => do_action(node, n)?,
        "oriel:a11y set_text" if flag => insert_text(node, a, text)?,
        "oriel:a11y set_text" => set_text(node, text)?,
        "oriel:a11y set_value" => set_value(node, v.get("f").float())?,
        "oriel:a11y select" if flag => deselect(node, a)?,
        "oriel:a11y select" => select(node, a)?,
        "oriel:a11y select_text" => select_text(node, a, b)?,
        "oriel:a11y focus" => focus(node)?,
        "oriel:a11y scroll_to" => scroll_to(node)?,
        "oriel:window close" => close_window()?,
        "oriel:window activate" => activate_window()?,
        "oriel:input move" => move_to(n, m)?,
        "oriel:input click" => click(Pointer { count: a as i32, ..pointer })?,
        "oriel:input drag" => drag(Pointer { to_x: a as i32, to_y: b as i32, ..pointer })?,
        "oriel:input scroll" => scroll(n, m, a as i32, b as i32)?,
        "oriel:input keys" => keys(&list)?,
        "oriel:input text" => type_text(text)?,
        "oriel:capture window" => {
            let i = capture(region(v))?;
            return Ok(vec![int(i.w), int(i.h), (i.rgba.len() as i64).into()]);
        }
        "oriel:capture find" => {
            let list = find_image(text.as_bytes(), region(v), v.get("f").float())?;
            return Ok(list.iter().flat_map(|f| vec![rect(f.place), f.score.into()]).collect());
        }
        "oriel:ocr text" => {
            let list = ocr(region(v))?;
            return Ok(list.iter().flat_map(|w| vec![w.text.as_str().into(), rect(w.place), w.line.into(), w.confidence.into()]).collect());
        }
        "oriel:clipboard types" => return Ok(clipboard_types()?.into_iter().map(Value::from).collect()),
        "oriel:clipboard read" => return Ok(vec![text_of(read_clipboard(text)?)]),
        "oriel:clipboard write" => write_clipboard(text, data.as_bytes())?,
        "oriel:kv get" => {
            let kept = load(text)?;
            return Ok(vec![kept.is_some().into(), text_of(kept.unwrap_or_default())]);
        }
        "oriel:kv set" => store(text, data.as_bytes())?,
        "oriel:kv delete" => delete(text)?,
        "oriel:wait change" => return Ok(vec![wait_change(a)?.0.into()]),
        "oriel:log write" => log(text, data),
        _ => return Err(Fault::new(code::UNSUPPORTED, format!("no function {}", action))),
    }
    Ok(Vec::new())
}

fn invoke(call: &Call) -> Result<Outcome, Fault> {
    if call.action == "echo" {
        return Ok(Outcome { message: "echo".into(), result: Some(call.args.clone()), effect: Effect::Unchanged });
    }
    let out = act(call.action, &call.args)?;
    Ok(Outcome { message: "done".into(), result: Some(Value::object([("out", Value::Array(out))])), effect: Effect::Open })
}

oriel::adapter!(translate, invoke);
