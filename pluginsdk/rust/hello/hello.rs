//! An adapter for windows with one entry: it shows the text and replaces it.

use oriel::{code, role, Action, Block, Call, Effect, Fault, Outcome, Tree, Value, View};

fn translate(tree: &Tree) -> Result<View, Fault> {
    let entry = match tree.find(role::ENTRY) {
        Some(entry) => entry,
        None => return Err(Fault::new(code::UNSUPPORTED, "the window has no entry; another adapter must take it")),
    };
    let title = tree.window().title;
    oriel::log("debug", &format!("hello sees {}", title));
    Ok(View {
        title: title.into(),
        summary: "One line of text.".into(),
        blocks: vec![Block::text("line", entry.text())],
        actions: vec![Action {
            name: "set_text".into(),
            title: "Set text".into(),
            description: "Replaces the text.".into(),
            idempotent: true,
            input: r#"{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}"#.into(),
            ..Action::default()
        }],
        ..View::default()
    })
}

/// Adds one to a number that the host keeps for this adapter.
fn count() -> Result<i64, Fault> {
    let before = oriel::load("count")?.and_then(|b| String::from_utf8(b).ok()?.parse().ok());
    let n = before.unwrap_or(0) + 1;
    oriel::store("count", n.to_string().as_bytes())?;
    Ok(n)
}

fn invoke(call: &Call) -> Result<Outcome, Fault> {
    let text = call.args.get("text").text();
    if text.contains('\n') {
        return Err(Fault::invalid("text", "it is one line"));
    }
    oriel::set_text(call.window.find(role::ENTRY).map_or(0, |n| n.id()), text)?;
    let n = count()?;
    let after = oriel::observe()?;
    let (message, effect) = match after.tree()?.find(role::ENTRY) {
        Some(entry) if entry.text() == text => ("the text is set", Effect::Confirmed),
        _ => ("the text was sent", Effect::Unconfirmed),
    };
    oriel::log("info", message);
    Ok(Outcome { message: message.into(), result: Some(Value::object([("count", n.into())])), effect })
}

oriel::adapter!(translate, invoke);
