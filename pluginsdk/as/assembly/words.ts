// The numbers of the contract: roles, states, interfaces, relations.

/** What kind of element a node is. */
export namespace Role {
  export const UNKNOWN: u16 = 0;
  export const WINDOW: u16 = 1;
  export const DIALOG: u16 = 2;
  export const ALERT: u16 = 3;
  export const FILE_CHOOSER: u16 = 4;
  export const COLOR_CHOOSER: u16 = 5;
  export const PANEL: u16 = 6;
  export const FILLER: u16 = 7;
  export const SCROLL_PANE: u16 = 8;
  export const SPLIT_PANE: u16 = 9;
  export const VIEWPORT: u16 = 10;
  export const GROUPING: u16 = 11;
  export const TOOL_BAR: u16 = 12;
  export const MENU_BAR: u16 = 13;
  export const MENU: u16 = 14;
  export const MENU_ITEM: u16 = 15;
  export const CHECK_MENU_ITEM: u16 = 16;
  export const RADIO_MENU_ITEM: u16 = 17;
  export const POPUP_MENU: u16 = 18;
  export const SEPARATOR: u16 = 19;
  export const STATUS_BAR: u16 = 20;
  export const INFO_BAR: u16 = 21;
  export const TAB_LIST: u16 = 22;
  export const TAB: u16 = 23;
  export const BUTTON: u16 = 24;
  export const TOGGLE_BUTTON: u16 = 25;
  export const CHECK_BOX: u16 = 26;
  export const RADIO_BUTTON: u16 = 27;
  export const SWITCH: u16 = 28;
  export const COMBO_BOX: u16 = 29;
  export const ENTRY: u16 = 30;
  export const PASSWORD: u16 = 31;
  export const TEXT_AREA: u16 = 32;
  export const SPIN_BUTTON: u16 = 33;
  export const SLIDER: u16 = 34;
  export const SCROLL_BAR: u16 = 35;
  export const PROGRESS_BAR: u16 = 36;
  export const LEVEL_BAR: u16 = 37;
  export const LABEL: u16 = 38;
  export const STATIC: u16 = 39;
  export const HEADING: u16 = 40;
  export const PARAGRAPH: u16 = 41;
  export const LINK: u16 = 42;
  export const IMAGE: u16 = 43;
  export const ICON: u16 = 44;
  export const CANVAS: u16 = 45;
  export const LIST: u16 = 46;
  export const LIST_ITEM: u16 = 47;
  export const LIST_BOX: u16 = 48;
  export const TREE: u16 = 49;
  export const TREE_ITEM: u16 = 50;
  export const TREE_TABLE: u16 = 51;
  export const TABLE: u16 = 52;
  export const TABLE_ROW: u16 = 53;
  export const TABLE_CELL: u16 = 54;
  export const COLUMN_HEADER: u16 = 55;
  export const ROW_HEADER: u16 = 56;
  export const DOCUMENT: u16 = 57;
  export const SECTION: u16 = 58;
  export const FORM: u16 = 59;
  export const ARTICLE: u16 = 60;
  export const LANDMARK: u16 = 61;
  export const TOOL_TIP: u16 = 62;
  export const NOTIFICATION: u16 = 63;
  export const TERMINAL: u16 = 64;
  export const CALENDAR: u16 = 65;
  export const TITLE_BAR: u16 = 66;
  export const APPLICATION: u16 = 67;
  export const BLOCK_QUOTE: u16 = 68;
  export const CAPTION: u16 = 69;
  export const DESCRIPTION_LIST: u16 = 70;
  export const VIDEO: u16 = 71;
  export const AUDIO: u16 = 72;
  export const MATH: u16 = 73;
  export const EMBEDDED: u16 = 74;
}

/** The states of a node, a bit each. */
export namespace State {
  export const ACTIVE: u64 = 1 << 0;
  export const BUSY: u64 = 1 << 1;
  export const CHECKABLE: u64 = 1 << 2;
  export const CHECKED: u64 = 1 << 3;
  export const COLLAPSED: u64 = 1 << 4;
  export const DEFAULT: u64 = 1 << 5;
  export const EDITABLE: u64 = 1 << 6;
  export const ENABLED: u64 = 1 << 7;
  export const EXPANDABLE: u64 = 1 << 8;
  export const EXPANDED: u64 = 1 << 9;
  export const FOCUSABLE: u64 = 1 << 10;
  export const FOCUSED: u64 = 1 << 11;
  export const HAS_POPUP: u64 = 1 << 12;
  export const HORIZONTAL: u64 = 1 << 13;
  export const INDETERMINATE: u64 = 1 << 14;
  export const INVALID: u64 = 1 << 15;
  export const MANAGES_DESCENDANTS: u64 = 1 << 16;
  export const MODAL: u64 = 1 << 17;
  export const MULTI_LINE: u64 = 1 << 18;
  export const MULTI_SELECTABLE: u64 = 1 << 19;
  export const PRESSED: u64 = 1 << 20;
  export const READ_ONLY: u64 = 1 << 21;
  export const REQUIRED: u64 = 1 << 22;
  export const SELECTABLE: u64 = 1 << 23;
  export const SELECTED: u64 = 1 << 24;
  export const SHOWING: u64 = 1 << 25;
  export const SINGLE_LINE: u64 = 1 << 26;
  export const VERTICAL: u64 = 1 << 27;
  export const VISIBLE: u64 = 1 << 28;
  export const VISITED: u64 = 1 << 29;
}

/** The accessibility interfaces of a node, a bit each. */
export namespace Iface {
  export const ACTION: u32 = 1 << 0;
  export const COMPONENT: u32 = 1 << 1;
  export const EDITABLE_TEXT: u32 = 1 << 2;
  export const TEXT: u32 = 1 << 3;
  export const VALUE: u32 = 1 << 4;
  export const SELECTION: u32 = 1 << 5;
  export const TABLE: u32 = 1 << 6;
  export const TABLE_CELL: u32 = 1 << 7;
  export const IMAGE: u32 = 1 << 8;
  export const HYPERTEXT: u32 = 1 << 9;
  export const DOCUMENT: u32 = 1 << 10;
  export const COLLECTION: u32 = 1 << 11;
}

/** How one node relates to another. */
export namespace RelationKind {
  export const LABELLED_BY: u32 = 1;
  export const LABEL_FOR: u32 = 2;
  export const DESCRIBED_BY: u32 = 3;
  export const MEMBER_OF: u32 = 4;
  export const CONTROLLER_FOR: u32 = 5;
  export const CONTROLLED_BY: u32 = 6;
  export const POPUP_FOR: u32 = 7;
  export const ERROR_MESSAGE: u32 = 8;
}

/** Why the included children of a node end where they do. */
export namespace End {
  export const COMPLETE: u8 = 0;
  export const CUT: u8 = 1;
  export const VIRTUAL: u8 = 2;
  export const TIMEOUT: u8 = 3;
  export const DENIED: u8 = 4;
}

/** The states of a window, a bit each. */
export namespace WindowState {
  export const ACTIVE: u32 = 1 << 0;
  export const MINIMIZED: u32 = 1 << 1;
  export const MAXIMIZED: u32 = 1 << 2;
  export const FULLSCREEN: u32 = 1 << 3;
  export const URGENT: u32 = 1 << 4;
}
