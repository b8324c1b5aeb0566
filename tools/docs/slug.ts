/** The anchor of a heading's text, as GitHub makes it. One that is there already gets a number after it: `-1`. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}
