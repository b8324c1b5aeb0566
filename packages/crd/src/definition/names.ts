import type { DefinitionNames } from './assemble.ts'
import type { NoteProblem } from './columns.ts'

/** Records the names that the server refuses. The view checks the kind and the plural. */
export function checkNames(names: DefinitionNames, note: NoteProblem): void {
  const { group, kind, singular, listKind, shortNames = [], categories = [], annotations = {} } = names
  for (const [option, list] of [
    ['shortNames', shortNames],
    ['categories', categories],
    ['singular', singular === undefined ? [] : [singular]],
  ] as const)
    for (const name of list) if (!isLabel(name)) note(option, `has ${JSON.stringify(name)}, ${labelTakes}`)
  if (listKind !== undefined && !isLabel(listKind.toLowerCase()))
    note('listKind', `is ${JSON.stringify(listKind)}, which must be a word in CamelCase: ${kind}List.`)
  if (listKind === kind) note('listKind', `is ${listKind}, as the kind is. Take ${kind}List.`)
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return
  const approval = annotations[approved]
  if (approval === undefined || !(approval.startsWith('unapproved') || isUrl(approval)))
    note(
      'group',
      `is ${group}, which belongs to Kubernetes. Take a domain of yours, or give the annotation ${approved} the URL of the approval, or a reason that begins with "unapproved".`,
    )
}

const approved = 'api-approved.kubernetes.io'

const labelTakes =
  "which must be of a to z, 0 to 9 and '-', begin with a letter, end with no '-', and have 63 characters at most."

/** A DNS-1035 label. */
function isLabel(text: string): boolean {
  return text.length <= 63 && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(text)
}

/** Whether a text is a URL with a scheme and a host. The server checks this by Go's `url.ParseRequestURI`. */
function isUrl(text: string): boolean {
  return URL.canParse(text) && new URL(text).host !== ''
}
