import { shortEscapes } from '../structural/go-text.ts'

/** A text in double quotes, in the syntax of expressions. */
export function quote(text: string): string {
  return `"${[...text].map(char => shortEscapes[char] ?? char).join('')}"`
}
