//! The numbers of the contract: roles, states, interfaces, relations.

/// What kind of element a node is.
#[allow(missing_docs)]
pub mod role {
    pub const UNKNOWN: u16 = 0;
    pub const WINDOW: u16 = 1;
    pub const DIALOG: u16 = 2;
    pub const ALERT: u16 = 3;
    pub const FILE_CHOOSER: u16 = 4;
    pub const COLOR_CHOOSER: u16 = 5;
    pub const PANEL: u16 = 6;
    pub const FILLER: u16 = 7;
    pub const SCROLL_PANE: u16 = 8;
    pub const SPLIT_PANE: u16 = 9;
    pub const VIEWPORT: u16 = 10;
    pub const GROUPING: u16 = 11;
    pub const TOOL_BAR: u16 = 12;
    pub const MENU_BAR: u16 = 13;
    pub const MENU: u16 = 14;
    pub const MENU_ITEM: u16 = 15;
    pub const CHECK_MENU_ITEM: u16 = 16;
    pub const RADIO_MENU_ITEM: u16 = 17;
    pub const POPUP_MENU: u16 = 18;
    pub const SEPARATOR: u16 = 19;
    pub const STATUS_BAR: u16 = 20;
    pub const INFO_BAR: u16 = 21;
    pub const TAB_LIST: u16 = 22;
    pub const TAB: u16 = 23;
    pub const BUTTON: u16 = 24;
    pub const TOGGLE_BUTTON: u16 = 25;
    pub const CHECK_BOX: u16 = 26;
    pub const RADIO_BUTTON: u16 = 27;
    pub const SWITCH: u16 = 28;
    pub const COMBO_BOX: u16 = 29;
    pub const ENTRY: u16 = 30;
    pub const PASSWORD: u16 = 31;
    pub const TEXT_AREA: u16 = 32;
    pub const SPIN_BUTTON: u16 = 33;
    pub const SLIDER: u16 = 34;
    pub const SCROLL_BAR: u16 = 35;
    pub const PROGRESS_BAR: u16 = 36;
    pub const LEVEL_BAR: u16 = 37;
    pub const LABEL: u16 = 38;
    pub const STATIC: u16 = 39;
    pub const HEADING: u16 = 40;
    pub const PARAGRAPH: u16 = 41;
    pub const LINK: u16 = 42;
    pub const IMAGE: u16 = 43;
    pub const ICON: u16 = 44;
    pub const CANVAS: u16 = 45;
    pub const LIST: u16 = 46;
    pub const LIST_ITEM: u16 = 47;
    pub const LIST_BOX: u16 = 48;
    pub const TREE: u16 = 49;
    pub const TREE_ITEM: u16 = 50;
    pub const TREE_TABLE: u16 = 51;
    pub const TABLE: u16 = 52;
    pub const TABLE_ROW: u16 = 53;
    pub const TABLE_CELL: u16 = 54;
    pub const COLUMN_HEADER: u16 = 55;
    pub const ROW_HEADER: u16 = 56;
    pub const DOCUMENT: u16 = 57;
    pub const SECTION: u16 = 58;
    pub const FORM: u16 = 59;
    pub const ARTICLE: u16 = 60;
    pub const LANDMARK: u16 = 61;
    pub const TOOL_TIP: u16 = 62;
    pub const NOTIFICATION: u16 = 63;
    pub const TERMINAL: u16 = 64;
    pub const CALENDAR: u16 = 65;
    pub const TITLE_BAR: u16 = 66;
    pub const APPLICATION: u16 = 67;
    pub const BLOCK_QUOTE: u16 = 68;
    pub const CAPTION: u16 = 69;
    pub const DESCRIPTION_LIST: u16 = 70;
    pub const VIDEO: u16 = 71;
    pub const AUDIO: u16 = 72;
    pub const MATH: u16 = 73;
    pub const EMBEDDED: u16 = 74;
}

/// The states of a node, a bit each.
#[allow(missing_docs)]
pub mod state {
    pub const ACTIVE: u64 = 1 << 0;
    pub const BUSY: u64 = 1 << 1;
    pub const CHECKABLE: u64 = 1 << 2;
    pub const CHECKED: u64 = 1 << 3;
    pub const COLLAPSED: u64 = 1 << 4;
    pub const DEFAULT: u64 = 1 << 5;
    pub const EDITABLE: u64 = 1 << 6;
    pub const ENABLED: u64 = 1 << 7;
    pub const EXPANDABLE: u64 = 1 << 8;
    pub const EXPANDED: u64 = 1 << 9;
    pub const FOCUSABLE: u64 = 1 << 10;
    pub const FOCUSED: u64 = 1 << 11;
    pub const HAS_POPUP: u64 = 1 << 12;
    pub const HORIZONTAL: u64 = 1 << 13;
    pub const INDETERMINATE: u64 = 1 << 14;
    pub const INVALID: u64 = 1 << 15;
    pub const MANAGES_DESCENDANTS: u64 = 1 << 16;
    pub const MODAL: u64 = 1 << 17;
    pub const MULTI_LINE: u64 = 1 << 18;
    pub const MULTI_SELECTABLE: u64 = 1 << 19;
    pub const PRESSED: u64 = 1 << 20;
    pub const READ_ONLY: u64 = 1 << 21;
    pub const REQUIRED: u64 = 1 << 22;
    pub const SELECTABLE: u64 = 1 << 23;
    pub const SELECTED: u64 = 1 << 24;
    pub const SHOWING: u64 = 1 << 25;
    pub const SINGLE_LINE: u64 = 1 << 26;
    pub const VERTICAL: u64 = 1 << 27;
    pub const VISIBLE: u64 = 1 << 28;
    pub const VISITED: u64 = 1 << 29;
}

/// The accessibility interfaces of a node, a bit each.
#[allow(missing_docs)]
pub mod iface {
    pub const ACTION: u32 = 1 << 0;
    pub const COMPONENT: u32 = 1 << 1;
    pub const EDITABLE_TEXT: u32 = 1 << 2;
    pub const TEXT: u32 = 1 << 3;
    pub const VALUE: u32 = 1 << 4;
    pub const SELECTION: u32 = 1 << 5;
    pub const TABLE: u32 = 1 << 6;
    pub const TABLE_CELL: u32 = 1 << 7;
    pub const IMAGE: u32 = 1 << 8;
    pub const HYPERTEXT: u32 = 1 << 9;
    pub const DOCUMENT: u32 = 1 << 10;
    pub const COLLECTION: u32 = 1 << 11;
}

/// How one node relates to another.
#[allow(missing_docs)]
pub mod relation {
    pub const LABELLED_BY: u32 = 1;
    pub const LABEL_FOR: u32 = 2;
    pub const DESCRIBED_BY: u32 = 3;
    pub const MEMBER_OF: u32 = 4;
    pub const CONTROLLER_FOR: u32 = 5;
    pub const CONTROLLED_BY: u32 = 6;
    pub const POPUP_FOR: u32 = 7;
    pub const ERROR_MESSAGE: u32 = 8;
}

/// Why the included children of a node end where they do.
#[allow(missing_docs)]
pub mod end {
    pub const COMPLETE: u8 = 0;
    pub const CUT: u8 = 1;
    pub const VIRTUAL: u8 = 2;
    pub const TIMEOUT: u8 = 3;
    pub const DENIED: u8 = 4;
}

/// The states of a window, a bit each.
#[allow(missing_docs)]
pub mod window_state {
    pub const ACTIVE: u32 = 1 << 0;
    pub const MINIMIZED: u32 = 1 << 1;
    pub const MAXIMIZED: u32 = 1 << 2;
    pub const FULLSCREEN: u32 = 1 << 3;
    pub const URGENT: u32 = 1 << 4;
}
