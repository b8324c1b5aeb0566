/** What the server charges to look at one character of a text. */
export const perCharacter = 0.1
/** What it charges for one character of a pattern, for each unit of the text that is matched. */
export const perPatternCharacter = 0.25
/** What it charges for making a list, a map and a message. */
export const making = { list: 10, map: 30, struct: 40 } as const
/** The longest pattern of a named format. */
export const longestFormatPattern = 128
/** The longest name of a format. */
export const longestFormatName = 64
