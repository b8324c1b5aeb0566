import { Document, type Scalar, visit } from 'yaml'
import { plainValue } from './plain.ts'

/** A document of YAML that kubectl, and every reader of YAML 1.1 and 1.2, reads with the same values. Texts that look like another type are quoted. */
export function yamlText(value: object): string {
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' })
  visit(document, {
    Scalar(_, node) {
      if (isMistaken(node)) node.type = 'QUOTE_DOUBLE'
    },
  })
  const text = document.toString({ lineWidth: 0 })
  // Texts with hidden characters are in double quotes now, so escapes are possible.
  return text.replace(hidden, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Characters that readers take for the end of a line or a mark of the text, or refuse. */
const hidden = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** Whether a text would be read as something else without quotes. */
function isMistaken({ value }: Scalar): boolean {
  if (typeof value !== 'string') return false
  // Some readers parse numbers to the base of sixty, the merge key `<<`, and the default key `=`.
  return typeof plainValue(value) !== 'string' || value.search(hidden) >= 0 || other.test(value)
}

const other = /^(<<|=|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)$/
