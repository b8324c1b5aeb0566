import { shortEscapes } from '../structural/go-text.ts'

/** A text in double quotes, as an expression would write it. */
export function quote(text: string): string {
  return `"${[...text].map(char => shortEscapes[char] ?? char).join('')}"`
}
