import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Extractor, ExtractorConfig, ExtractorLogLevel, ExtractorMessageCategory } from '@microsoft/api-extractor'
import type { Found } from '../test/step.ts'
import { publishedPackages, root, type WorkspacePackage } from '../workspace.ts'
import { packed } from './packed.ts'

/** What can be imported from one entry point of a package, as a report for readers of a diff. */
interface Report {
  /** Where the repository keeps it. */
  readonly file: string
  readonly text: string
  /** Types that a public signature names and that a program can't import from a public entry point. */
  readonly missing: readonly string[]
}

/**
 * Types that only Wherry gives or calculates, which no program needs to name: parts of constructors that Wherry alone calls, and steps of a
 * calculated type.
 */
const unnamed: Readonly<Record<string, readonly string[]>> = {
  client: ['AbsenceProof', 'Caller', 'Deadlines', 'InvalidBodyError', 'LineTooLongError', 'ReadContext', 'Written'],
  controller: [
    ...['DependentKey', 'OpenCalls', 'OwnWritesOptions', 'PrimaryObjectsOptions', 'RememberedVersion', 'RunRecords'],
    ...[
      'SourceIndex',
      'Sources',
      'WriteSubscriber',
      'Writing',
      'MeasuredQueue',
      'ControllerSourceTarget',
      'ControllerSourceConnection',
      'Filled',
    ],
  ],
  crd: ['Base', 'Before', 'ListKindOf', 'ReadObject', 'ScopeOf'],
  'dynamic-cache': ['HeldEntry'],
  informer: [
    ...[
      'FirstList',
      'HandoverStore',
      'Identity',
      'InitialRead',
      'ListSnapshot',
      'SourceWriter',
      'ViewError',
      'WriterId',
    ],
    ...['WriterTarget', 'Entry', 'HeldReads', 'StreamingSupport', 'StoreReader'],
  ],
  testing: ['Trace'],
  'watch-manager': ['HeldInformer'],
  webhook: ['Settings', 'StatusCause'],
  'transform-cache': ['Identity', 'IdentityPath', 'Intersection', 'KnownPaths', 'PickedPath', 'UnknownPath'],
}

/** Every public entry point: not `./internal`, and not the built-in resources, which are generated. */
function entryPoints({ folder, manifest }: WorkspacePackage): { readonly name: string; readonly types: string }[] {
  return Object.entries(manifest.exports ?? {})
    .filter(([door]) => !/internal|resources/.test(door))
    .map(([door, { default: file }]) => {
      const name = door === '.' ? 'index' : door.slice(2)
      return { name, types: join(folder, file.replace(/\.js$/, '.d.ts')) }
    })
}

/** The report of an entry point that is built. */
function reportOf(one: WorkspacePackage, { name, types }: { readonly name: string; readonly types: string }): Report {
  const { folder, short } = one
  const work = join(root, '.cache/api', relative(root, folder), name)
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const none = { logLevel: ExtractorLogLevel.None, addToApiReportFile: false }
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: types,
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            ...{ target: 'es2024', module: 'nodenext', moduleResolution: 'nodenext', strict: true, skipLibCheck: true },
            ...{
              lib: ['es2024', 'esnext.disposable'],
              types: ['node'],
              typeRoots: [join(root, 'node_modules/@types')],
            },
          },
          files: [types],
        },
      },
      apiReport: {
        ...{ enabled: true, reportFileName: name, reportFolder: work, reportTempFolder: join(work, 'temp') },
        includeForgottenExports: false,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: none },
        extractorMessageReporting: { default: none },
        tsdocMessageReporting: { default: none },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, 'package.json'),
  })
  const missing = new Set<string>()
  Extractor.invoke(config, {
    localBuild: true,
    messageCallback: message => {
      message.handled = true
      const { category, messageId, text } = message
      if (messageId === 'ae-forgotten-export') missing.add(/"(.+?)(?:[_$]\d+)?"/.exec(text)?.[1] ?? text)
      else if (category === ExtractorMessageCategory.Compiler) throw new Error(`${types}: ${text}`)
    },
  })
  const text = readFileSync(join(work, `${name}.api.md`), 'utf8').replaceAll(/^ *\/\/ \(undocumented\)\n/gm, '')
  for (const [, named, from] of text.matchAll(/^import (?:type )?\{ (.+) \} from '(@wherry\/[\w-]+\/internal)'/gm)) {
    missing.add(`${named} of ${from}`)
  }
  const others = otherNames(one, name)
  const isMissing = (type: string): boolean => {
    const [, named = type, of = short] = /^(\w+) of @wherry\/([\w-]+)\/internal$/.exec(type) ?? []
    return !others.has(type) && unnamed[of]?.includes(named) !== true
  }
  return { file: join(folder, 'api', `${name}.api.md`), text, missing: [...missing].filter(isMissing).sort() }
}

/** What a program can import from the other entry points of a package. */
function otherNames({ folder, manifest }: WorkspacePackage, door: string): ReadonlySet<string> {
  const doors = Object.keys(manifest.exports ?? {}).filter(one => !one.includes('internal'))
  const globs = doors.map(one => `src/${one === '.' ? 'index' : one.slice(2)}.ts`)
  const files = globSync(globs, { cwd: folder }).filter(file => file !== `src/${door}.ts`)
  const texts = files.map(file => exportedNames(join(folder, file)))
  return new Set(texts.flat())
}

function exportedNames(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) => names.split(','))
  const own = [...text.matchAll(/^export (?:interface|type|class|const|function) (\w+)/gm)].map(([, name]) => `${name}`)
  return [
    ...lists.map(one =>
      one
        .trim()
        .replace(/^type /, '')
        .replace(/.* as /, ''),
    ),
    ...own,
  ]
}

/** The reports of the packages as they are built in `dist`. */
export function apiReports(): Report[] {
  return publishedPackages().flatMap(one => entryPoints(one).map(point => reportOf(one, point)))
}

/** Writes the reports into the repository. */
export function writeApiReports(): void {
  for (const { file, text } of apiReports()) {
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, text)
  }
}

/**
 * The reports in the repository say what can be imported now, so a change of the public API is seen in a diff; and each type of a public signature
 * can be imported.
 */
export async function checkApi(): Promise<Found> {
  await packed()
  const reports = apiReports()
  const failures = reports.flatMap(({ file, text, missing }) => {
    const path = relative(root, file)
    const known = existsSync(file) ? readFileSync(file, 'utf8') : ''
    return [
      ...(known === text ? [] : [`${path} is not as the packages are: run node tools/api.ts, and look at the diff`]),
      ...missing.map(name => `${path}: a public signature names ${name}, which the entry point does not export`),
    ]
  })
  return { passed: reports.length * 2 - failures.length, failures }
}
