import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { builtinKinds } from '../../packages/apiserver/src/generated/builtin-fields.ts'
import { banner, type Generated } from './generated-file.ts'

const FOLDER = 'packages/apiserver/src/generated'
const MARK = banner('tools/generate/protobuf-messages.ts')

/**
 * Writes how built-in kinds are written in protobuf. No server shows that: a program in Go looks at the types that make a server. It takes
 * minutes if Go has not built it before, so CI does not compare the file; that each kind has a message is a test.
 */
export function protobufMessages(): Generated {
  const folder = join(import.meta.dirname, 'protobuf')
  const output = execFileSync('go', ['run', '.'], { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 })
  const all = { message: new Map<string, string>(), kind: new Map<string, string>() }
  for (const line of output.trimEnd().split('\n')) {
    const [what, name, text = ''] = line.split('\t') as ['message' | 'kind', string, string?]
    all[what].set(name, text)
  }
  const kinds = [...all.kind].filter(([kind]) => isServed(kind))
  const needed = new Set<string>()
  for (const [, message] of kinds) addMessages(message, all.message, needed)
  const lines = (entries: readonly (readonly [string, string])[]): string =>
    entries.map(([name, text]) => `  '${name}': '${text}',`).join('\n')
  const text = `${MARK}${NOTATION}
export const messages: Readonly<Record<string, string>> = {
${lines([...all.message].filter(([name]) => needed.has(name)))}
}

/** The message of each kind, by \`apiVersion/kind\`. */
export const messageOfKind: Readonly<Record<string, string>> = {
${lines(kinds)}
}
`
  return { files: new Map([[`${FOLDER}/protobuf-messages.ts`, text]]), folder: FOLDER, mark: MARK }
}

const versions = new Set(Object.keys(builtinKinds).map(kind => kind.slice(0, kind.lastIndexOf('/'))))

for (const version of ['apidiscovery.k8s.io/v2', 'meta.k8s.io/v1']) versions.add(version)

/** Clients send objects of the versions that are served, and the options of a delete; other options are parameters of the URL. */
function isServed(kind: string): boolean {
  const [, version = '', name = ''] = /^(.*)\/(.*)$/.exec(kind) ?? []
  return versions.has(version) && (name === 'DeleteOptions' || !name.endsWith('Options'))
}

function addMessages(name: string, all: ReadonlyMap<string, string>, to: Set<string>): void {
  const text = all.get(name)
  if (text === undefined || to.has(name)) return
  to.add(name)
  for (const [, below = ''] of text.matchAll(/=(?:\[\]|\{\}|\*)*([\w.]+)/g)) addMessages(below, all, to)
}

const NOTATION = `
/**
 * The fields of messages, as \`NUMBER NAME=TYPE\`, without the blank. A field without a name is part of the object that has it. Types: \`s\` text,
 * \`b\` bytes, \`t\` true or false, \`i\` integer, \`d\` double, else a message; \`[]\` before it is a list, \`{}\` a map by text, \`*\` a value
 * that may be missing: the bytes have all others, if they are zero or empty too. \`!\`: JSON has the field even if it is empty.
 */`
