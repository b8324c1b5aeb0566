const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const namePart = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/

const subdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const labelMessage =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const namePartMessage =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const labelValueMessage =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

/** The reasons for which `text` is no DNS subdomain, in the server's words; empty if it is a DNS subdomain. */
export function subdomainProblems(text: string): string[] {
  const problems: string[] = []
  if (text.length > 253) problems.push('must be no more than 253 characters')
  if (!subdomain.test(text)) problems.push(subdomainMessage)
  return problems
}

/** The reasons for which `text` is no DNS label. */
export function dnsLabelProblems(text: string): string[] {
  return [
    ...(text.length > 63 ? ['must be no more than 63 characters'] : []),
    ...(label.test(text) ? [] : [subdomain.test(text) ? 'must not contain dots' : labelMessage]),
  ]
}

const letterFirst =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"

/** The reasons for which `text` is no DNS label that begins with a letter. */
export function dns1035Problems(text: string): string[] {
  return [
    ...(text.length > 63 ? ['must be no more than 63 characters'] : []),
    ...(/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(text) ? [] : [letterFirst]),
  ]
}

/** The reasons for which `text` is no qualified name. Finalizers and the keys of labels and annotations must be qualified names. */
export function qualifiedNameProblems(text: string): string[] {
  if (text.length < 64 && namePart.test(text)) return []
  const parts = text.split('/')
  if (parts.length > 2) {
    return [
      `a valid label key ${namePartMessage} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  const problems: string[] = []
  const [name = '', prefix] = parts.toReversed()
  if (prefix === '') problems.push('prefix part must be non-empty')
  else if (prefix !== undefined) problems.push(...subdomainProblems(prefix).map(problem => `prefix part ${problem}`))
  if (name === '') problems.push('name part must be non-empty')
  else if (name.length > 63) problems.push('name part must be no more than 63 bytes')
  if (!namePart.test(name)) problems.push(`name part ${namePartMessage}`)
  return problems
}

/** The reasons for which `text` is no value of a label. */
export function labelValueProblems(text: string): string[] {
  const problems: string[] = []
  if (text.length > 63) problems.push('must be no more than 63 bytes')
  if (!labelValue.test(text)) problems.push(labelValueMessage)
  return problems
}
