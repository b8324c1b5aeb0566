import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { refused, wrongUsage } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import type { ProjectStyle, SchemaKind } from './names.ts'

interface Options {
  readonly group?: string
  readonly kind?: string
  readonly schema: SchemaKind
  readonly webhook?: true
}

/** The questions for the values that the command line lacks. */
const questions = {
  name: 'The name of the operator (game-operator): ',
  group: 'Its API group, a domain of yours (arcade.example.com): ',
  kind: 'The kind of its objects (Game): ',
}

const examples = `
Examples:
  wherry create game-operator --group arcade.example.com --kind Game
  cd game-operator && npm install && npm test

Exit status: 0 done; 1 the folder is there already; 2 wrong usage.`

/** `wherry create`: writes a new project with a test that passes. */
export function createCommand(host: CommandHost): Command {
  return new Command('create')
    .description(
      'Writes a project for an operator of one kind to a new folder: its code, a test, its manifests, a Dockerfile and a workflow. Asks for what is missing.',
    )
    .argument('[name]', 'the name of the folder and of the operator')
    .option('--group <domain>', 'the API group of the kind, a domain of yours')
    .option('--kind <Kind>', 'the name of the kind, such as Game')
    .addOption(
      new Option('--schema <kind>', 'what describes the kind').choices(['interface', 'zod']).default('interface'),
    )
    .option('--webhook', 'with a webhook that refuses objects, and its test')
    .addHelpText('after', examples)
    .action((name: string | undefined, { schema, webhook, ...options }: Options) =>
      create({ name, ...options }, { schema, hasWebhook: webhook === true }, host),
    )
}

type Given = Readonly<Partial<Record<keyof typeof questions, string | undefined>>>

async function create(given: Given, style: ProjectStyle, host: CommandHost): Promise<void> {
  const [{ projectNames }, { projectFiles }] = await Promise.all([import('./names.ts'), import('./project-files.ts')])
  const { name, group, kind } = await complete(given, host)
  const names = projectNames(name, group, kind)
  const folder = resolve(host.cwd, name)
  if (existsSync(folder)) throw refused(`${name} is there already: choose another name, or remove it`)
  for (const [file, text] of Object.entries(projectFiles(names, style, ownVersion()))) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
    host.stdout.write(`${join(name, file)}\n`)
  }
  host.stdout.write(`\ncd ${name}\nnpm install\nnpm test\n`)
}

/** Asks the user for the missing values. */
async function complete(given: Given, { ask }: CommandHost): Promise<Record<keyof typeof questions, string>> {
  const answers = { name: '', group: '', kind: '' }
  for (const part of ['name', 'group', 'kind'] as const) {
    const answer = given[part] ?? (await ask?.(questions[part]))?.trim()
    if (answer === undefined) throw wrongUsage(`${part === 'name' ? 'the name' : `--${part}`} is missing`)
    answers[part] = answer
  }
  return answers
}

/** The version of this package, which the other packages of Wherry have too. */
function ownVersion(): string {
  // package.json is two folders up from a source, and one folder up from a built file.
  const found = ['../package.json', '../../package.json']
    .map(path => new URL(path, import.meta.url))
    .find(file => existsSync(file))
  if (found === undefined) throw new Error('this package has no package.json')
  return JSON.parse(readFileSync(found, 'utf8')).version
}
