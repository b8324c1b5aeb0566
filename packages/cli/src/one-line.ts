/** A text for a terminal, with its line breaks and without control characters. */
export function printable(text: string): string {
  return text.split('\n').map(oneLine).join('\n')
}

/** A text from elsewhere as a part of a message: without line breaks and control characters. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are searched for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
}
