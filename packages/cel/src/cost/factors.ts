/** The server's cost for a read of one character of a text. */
export const perCharacter = 0.1
/** The server's cost for one character of a pattern, for each unit of the matched text. */
export const perPatternCharacter = 0.25
/** The server's costs for making a list, a map and a message. */
export const making = { list: 10, map: 30, struct: 40 } as const
/** The length of the longest pattern of a named format. */
export const longestFormatPattern = 128
/** The length of the longest name of a format. */
export const longestFormatName = 64
