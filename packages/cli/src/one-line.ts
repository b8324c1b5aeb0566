/** A text for a terminal, with its lines as they are and without what a terminal acts on. */
export function printable(text: string): string {
  return text.split('\n').map(oneLine).join('\n')
}

/** A stranger's text as a part of a message: without what breaks a line, or what a terminal acts on. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
}
