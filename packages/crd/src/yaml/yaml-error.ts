/** A text that is no YAML, or that kubectl refuses. The message is one line. */
export class YamlError extends Error {
  override readonly name = 'YamlError'

  constructor(message: string) {
    // A quotation of the text must not contain line breaks or control characters.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are searched for
    super(message.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' '))
  }
}
