const rules: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| [+-]\d{4} UTC)?/g, '<time>'],
  [/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>'],
  // What kubectl logs begins with a time and the process.
  [/^([EWI])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /g, '$1 '],
  [/("?resourceVersion"?: ?"|Resource Version: +)\d+/g, '$1<rv>'],
  [/(https:\/\/)?127\.0\.0\.1:\d+/g, '<server>'],
  // The Service of the server itself leads to its port.
  [/(TargetPort: +)\d{5}(?=\/TCP)/g, '$1<port>'],
  [/127\.0\.0\.1(?=\s|$)/g, '<address>'],
  [/\b10\.0\.\d{1,3}\.\d{1,3}\b/g, '<address>'],
  [/\/tmp\/\S*?wherry-kubectl-\w+\/(real|embedded)\b/g, '<folder>'],
  // The names that `diff` and `edit` give to files of theirs.
  [/\/tmp\/(LIVE|MERGED)-\d+/g, '/tmp/$1'],
  [/kubectl-edit-\d+\.yaml/g, 'kubectl-edit.yaml'],
  // Ages stand at the end of a line, before other columns, and in what `describe` says.
  [/(?<=[\s(])(\d+[smhd]){1,2}(?=[\s)]|$)/g, '<age>'],
]

/** Lines that a real server puts in any order: the problems of an object. */
const unordered = /(?:^(?:\* | {2}\.).*\n)+/gm

/** What kubectl printed without times, uids and addresses. If one of them was there, columns are two blanks apart. */
export function normalise(text: string): string {
  const plain = text
    .split('\n')
    .map(line => rules.reduce((now, [pattern, name]) => now.replace(pattern, name), line))
    .join('\n')
  const ordered = plain.replace(unordered, lines => `${lines.trimEnd().split('\n').sort().join('\n')}\n`)
  return plain === text ? ordered : ordered.replace(/(?<=\S) {2,}/g, '  ').replace(/ +$/gm, '')
}
