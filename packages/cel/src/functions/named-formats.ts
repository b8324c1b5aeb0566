import type { Declaration } from '../declarations.ts'
import {
  dns1035Problems,
  dnsLabelProblems,
  labelValueProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from '../json/qualified-name.ts'
import { hasFormat } from '../structural/formats.ts'
import { Custom, List, Optional } from '../values.ts'
import { urlProblem } from './url.ts'

/** A named format, which can validate texts. */
class NamedFormat extends Custom {
  readonly type = 'kubernetes.NamedFormat'
  readonly name: string
  readonly problems: (text: string) => readonly string[]
  readonly #size: number

  constructor(name: string, size: number, problems: (text: string) => readonly string[]) {
    super()
    this.name = name
    this.#size = size
    this.problems = problems
  }

  /** The length that a server assumes for the format's pattern. */
  override get size(): number {
    return this.#size
  }

  equals(other: NamedFormat): boolean {
    return this.name === other.name
  }
}

/** A prefix may end with a dash, because more characters follow. */
const prefix =
  (problems: (text: string) => string[]) =>
  (text: string): string[] =>
    problems(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -1)}a` : text)

const checked =
  (format: string, problem: string) =>
  (text: string): string[] =>
    hasFormat(text, format) ? [] : [problem]

const formats: Readonly<Record<string, NamedFormat>> = {
  dns1123Label: new NamedFormat('DNS1123Label', 30, dnsLabelProblems),
  dns1123Subdomain: new NamedFormat('DNS1123Subdomain', 60, subdomainProblems),
  dns1035Label: new NamedFormat('DNS1035Label', 30, dns1035Problems),
  qualifiedName: new NamedFormat('QualifiedName', 60, qualifiedNameProblems),
  dns1123LabelPrefix: new NamedFormat('DNS1123LabelPrefix', 30, prefix(dnsLabelProblems)),
  dns1123SubdomainPrefix: new NamedFormat('DNS1123SubdomainPrefix', 60, prefix(subdomainProblems)),
  dns1035LabelPrefix: new NamedFormat('DNS1035LabelPrefix', 30, prefix(dns1035Problems)),
  labelValue: new NamedFormat('LabelValue', 40, labelValueProblems),
  uri: new NamedFormat('URI', 1103, text => {
    const problem = urlProblem(text)
    return problem === undefined ? [] : [problem]
  }),
  uuid: new NamedFormat('uuid', 70, checked('uuid', 'does not match the UUID format')),
  byte: new NamedFormat('byte', 84, checked('byte', 'invalid base64')),
  date: new NamedFormat('date', 71, checked('date', 'invalid date')),
  datetime: new NamedFormat('datetime', 71, checked('datetime', 'invalid datetime')),
}

function validate({ problems }: NamedFormat, text: string): Optional {
  const found = problems(text)
  return new Optional(found.length === 0 ? undefined : new List(found))
}

const type = 'kubernetes.NamedFormat'

/** The function `format`, which returns named formats. */
export const namedFormats: readonly Declaration[] = [
  [`${type}->validate(string): optional<list<string>>`, validate],
  [
    `format.named(string): optional<${type}>`,
    (name: string) => new Optional(Object.hasOwn(formats, name) ? formats[name] : undefined),
  ],
  ...Object.entries(formats).map(([name, format]): Declaration => [`format.${name}(): ${type}`, () => format]),
]
