package x11

// legacyRunes holds the characters of the keysyms that are older than Unicode,
// one run for each set, with U+FFFD where a set has none. These and Latin-1
// and 0x01000000+U are all keysyms that stand for a character.
var legacyRunes = []struct {
	first uint32
	runes string
}{
	{0x1a1, "Ą˘Ł\ufffdĽŚ\ufffd\ufffdŠŞŤŹ\ufffdŽŻ\ufffdą˛ł\ufffdľśˇ\ufffdšşťź˝žżŔ\ufffd\ufffdĂ\ufffdĹĆ\ufffdČ\ufffdĘ\ufffdĚ\ufffd\ufffdĎĐŃŇ\ufffd\ufffdŐ\ufffd\ufffdŘŮ\ufffdŰ\ufffd\ufffdŢ\ufffdŕ\ufffd\ufffdă\ufffdĺć\ufffdč\ufffdę\ufffdě\ufffd\ufffdďđńň\ufffd\ufffdő\ufffd\ufffdřů\ufffdű\ufffd\ufffdţ˙"},
	{0x2a1, "Ħ\ufffd\ufffd\ufffd\ufffdĤ\ufffd\ufffdİ\ufffdĞĴ\ufffd\ufffd\ufffd\ufffdħ\ufffd\ufffd\ufffd\ufffdĥ\ufffd\ufffdı\ufffdğĵ"},
	{0x2c5, "ĊĈ"},
	{0x2d5, "Ġ\ufffd\ufffdĜ\ufffd\ufffd\ufffd\ufffdŬŜ\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdċĉ"},
	{0x2f5, "ġ\ufffd\ufffdĝ\ufffd\ufffd\ufffd\ufffdŭŝ"},
	{0x3a2, "ĸŖ\ufffdĨĻ\ufffd\ufffd\ufffdĒĢŦ\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdŗ\ufffdĩļ\ufffd\ufffd\ufffdēģŧŊ\ufffdŋĀ\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdĮ\ufffd\ufffd\ufffd\ufffdĖ\ufffd\ufffdĪ\ufffdŅŌĶ\ufffd\ufffd\ufffd\ufffd\ufffdŲ\ufffd\ufffd\ufffdŨŪ\ufffdā\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdį\ufffd\ufffd\ufffd\ufffdė\ufffd\ufffdī\ufffdņōķ\ufffd\ufffd\ufffd\ufffd\ufffdų\ufffd\ufffd\ufffdũū"},
	{0x47e, "‾"},
	{0x4a1, "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜"},
	{0x5ac, "،"},
	{0x5bb, "\u061b\ufffd\ufffd\ufffd\u061f\ufffd\u0621\u0622\u0623\u0624\u0625\u0626\u0627\u0628\u0629\u062a\u062b\u062c\u062d\u062e\u062f\u0630\u0631\u0632\u0633\u0634\u0635\u0636\u0637\u0638\u0639\u063a\ufffd\ufffd\ufffd\ufffd\ufffd\u0640\u0641\u0642\u0643\u0644\u0645\u0646\u0647\u0648\u0649\u064a\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652"},
	{0x6a1, "ђѓёєѕіїјљњћќґўџ№ЂЃЁЄЅІЇЈЉЊЋЌҐЎЏюабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ"},
	{0x7a1, "ΆΈΉΊΪ\ufffdΌΎΫ\ufffdΏ\ufffd\ufffd΅―\ufffdάέήίϊΐόύϋΰώ\ufffd\ufffd\ufffd\ufffd\ufffdΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣ\ufffdΤΥΦΧΨΩ\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdαβγδεζηθικλμνξοπρσςτυφχψω"},
	{0x8a1, "⎷\ufffd\ufffd⌠⌡\ufffd⎡⎣⎤⎦⎛⎝⎞⎠⎨⎬"},
	{0x8bc, "≤≠≥∫∴∝∞\ufffd\ufffd∇\ufffd\ufffd∼≃\ufffd\ufffd\ufffd⇔⇒≡\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd√\ufffd\ufffd\ufffd⊂⊃∩∪∧∨"},
	{0x8ef, "∂\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdƒ\ufffd\ufffd\ufffd\ufffd←↑→↓"},
	{0x9e0, "◆▒␉␌␍␊\ufffd\ufffd␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│"},
	{0xaa1, "\u2003\u2002\u2004\u2005\u2007\u2008\u2009\u200a—–\ufffd\ufffd\ufffd…‥⅓⅔⅕⅖⅗⅘⅙⅚℅\ufffd\ufffd‒\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd⅛⅜⅝⅞\ufffd\ufffd™\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd‘’“”℞‰′″\ufffd✝"},
	{0xaec, "♣♦♥\ufffd✠†‡✓✗♯♭♂♀☎⌕℗‸‚„"},
	{0xbc2, "⊤\ufffd⌊\ufffd\ufffd\ufffd\ufffd\ufffd∘\ufffd⎕\ufffd⊥○\ufffd\ufffd\ufffd⌈"},
	{0xbdc, "⊣"},
	{0xbfc, "⊢"},
	{0xcdf, "‗\u05d0\u05d1\u05d2\u05d3\u05d4\u05d5\u05d6\u05d7\u05d8\u05d9\u05da\u05db\u05dc\u05dd\u05de\u05df\u05e0\u05e1\u05e2\u05e3\u05e4\u05e5\u05e6\u05e7\u05e8\u05e9\u05ea"},
	{0xda1, "กขฃคฅฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรฤลฦวศษสหฬอฮฯะ\u0e31าำ\u0e34\u0e35\u0e36\u0e37\u0e38\u0e39\u0e3a\ufffd\ufffd\ufffd\ufffd฿เแโใไๅๆ\u0e47\u0e48\u0e49\u0e4a\u0e4b\u0e4c\u0e4d\ufffd\ufffd๐๑๒๓๔๕๖๗๘๙"},
	{0xea1, "ㄱㄲㄳㄴㄵㄶㄷㄸㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅃㅄㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣᆨᆩᆪᆫᆬᆭᆮᆯᆰᆱᆲᆳᆴᆵᆶᆷᆸᆹᆺᆻᆼᆽᆾᆿᇀᇁᇂㅭㅱㅸㅿㆁㆄㆆㆍㆎᇫᇰᇹ"},
	{0x13bc, "ŒœŸ"},
	{0x20ac, "€"},
}

// latin1Names are the names of the keysyms 0x20–0x7e and 0xa0–0xff in order.
const latin1Names = `space exclam quotedbl numbersign dollar percent ampersand apostrophe parenleft parenright asterisk plus comma
minus period slash 0 1 2 3 4 5 6 7 8 9 colon semicolon less equal greater question at A B C D E F G H I J K L
M N O P Q R S T U V W X Y Z bracketleft backslash bracketright asciicircum underscore grave a b c d e f g h i
j k l m n o p q r s t u v w x y z braceleft bar braceright asciitilde nobreakspace exclamdown cent sterling
currency yen brokenbar section diaeresis copyright ordfeminine guillemotleft notsign hyphen registered macron
degree plusminus twosuperior threesuperior acute mu paragraph periodcentered cedilla onesuperior masculine
guillemotright onequarter onehalf threequarters questiondown Agrave Aacute Acircumflex Atilde Adiaeresis Aring
AE Ccedilla Egrave Eacute Ecircumflex Ediaeresis Igrave Iacute Icircumflex Idiaeresis ETH Ntilde Ograve Oacute
Ocircumflex Otilde Odiaeresis multiply Oslash Ugrave Uacute Ucircumflex Udiaeresis Yacute THORN ssharp agrave
aacute acircumflex atilde adiaeresis aring ae ccedilla egrave eacute ecircumflex ediaeresis igrave iacute
icircumflex idiaeresis eth ntilde ograve oacute ocircumflex otilde odiaeresis division oslash ugrave uacute
ucircumflex udiaeresis yacute thorn ydiaeresis`

// keyNames are the names of keys that make no character, each with its keysym.
const keyNames = `BackSpace=ff08 Tab=ff09 Linefeed=ff0a Clear=ff0b Return=ff0d Pause=ff13 Scroll_Lock=ff14 Sys_Req=ff15
Escape=ff1b Delete=ffff Multi_key=ff20 Home=ff50 Left=ff51 Up=ff52 Right=ff53 Down=ff54 Prior=ff55
Page_Up=ff55 Next=ff56 Page_Down=ff56 End=ff57 Begin=ff58 Select=ff60 Print=ff61 Execute=ff62 Insert=ff63
Undo=ff65 Redo=ff66 Menu=ff67 Find=ff68 Cancel=ff69 Help=ff6a Break=ff6b Mode_switch=ff7e Num_Lock=ff7f
KP_Space=ff80 KP_Tab=ff89 KP_Enter=ff8d KP_F1=ff91 KP_F2=ff92 KP_F3=ff93 KP_F4=ff94 KP_Home=ff95 KP_Left=ff96
KP_Up=ff97 KP_Right=ff98 KP_Down=ff99 KP_Prior=ff9a KP_Page_Up=ff9a KP_Next=ff9b KP_Page_Down=ff9b KP_End=ff9c
KP_Begin=ff9d KP_Insert=ff9e KP_Delete=ff9f KP_Equal=ffbd KP_Multiply=ffaa KP_Add=ffab KP_Separator=ffac
KP_Subtract=ffad KP_Decimal=ffae KP_Divide=ffaf KP_0=ffb0 KP_1=ffb1 KP_2=ffb2 KP_3=ffb3 KP_4=ffb4 KP_5=ffb5
KP_6=ffb6 KP_7=ffb7 KP_8=ffb8 KP_9=ffb9 F1=ffbe F2=ffbf F3=ffc0 F4=ffc1 F5=ffc2 F6=ffc3 F7=ffc4 F8=ffc5
F9=ffc6 F10=ffc7 F11=ffc8 F12=ffc9 F13=ffca F14=ffcb F15=ffcc F16=ffcd F17=ffce F18=ffcf F19=ffd0 F20=ffd1
F21=ffd2 F22=ffd3 F23=ffd4 F24=ffd5 F25=ffd6 F26=ffd7 F27=ffd8 F28=ffd9 F29=ffda F30=ffdb F31=ffdc F32=ffdd
F33=ffde F34=ffdf F35=ffe0 Shift_L=ffe1 Shift_R=ffe2 Control_L=ffe3 Control_R=ffe4 Caps_Lock=ffe5
Shift_Lock=ffe6 Meta_L=ffe7 Meta_R=ffe8 Alt_L=ffe9 Alt_R=ffea Super_L=ffeb Super_R=ffec Hyper_L=ffed
Hyper_R=ffee braille_dot_1=fff1 braille_dot_2=fff2 braille_dot_3=fff3 braille_dot_4=fff4 braille_dot_5=fff5
braille_dot_6=fff6 braille_dot_7=fff7 braille_dot_8=fff8 braille_dot_9=fff9 braille_dot_10=fffa
ISO_Left_Tab=fe20 ISO_Level3_Shift=fe03 ISO_Level5_Shift=fe11 ISO_Enter=fe34 ISO_Next_Group=fe08
ISO_Prev_Group=fe0a dead_grave=fe50 dead_acute=fe51 dead_circumflex=fe52 dead_tilde=fe53 dead_perispomeni=fe53
dead_macron=fe54 dead_breve=fe55 dead_abovedot=fe56 dead_diaeresis=fe57 dead_abovering=fe58
dead_doubleacute=fe59 dead_caron=fe5a dead_cedilla=fe5b dead_ogonek=fe5c dead_iota=fe5d dead_voiced_sound=fe5e
dead_belowdot=fe60 dead_hook=fe61 dead_horn=fe62 dead_stroke=fe63 dead_abovecomma=fe64 dead_psili=fe64
dead_dasia=fe65 dead_doublegrave=fe66 dead_belowring=fe67 dead_belowmacron=fe68 dead_belowtilde=fe6a
dead_belowbreve=fe6b dead_belowdiaeresis=fe6c dead_invertedbreve=fe6d dead_belowcomma=fe6e dead_currency=fe6f
dead_a=fe80 dead_A=fe81 dead_e=fe82 dead_E=fe83 dead_i=fe84 dead_I=fe85 dead_o=fe86 dead_O=fe87 dead_u=fe88
dead_U=fe89 dead_small_schwa=fe8a dead_capital_schwa=fe8b dead_greek=fe8c EuroSign=20ac`
