import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, type FSWatcher, mkdirSync, watch } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ownCommands } from '../check/own-commands.ts'
import { modulesAmong } from '../crd/definition-files.ts'
import { wrongUsage } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { Overview } from './overview.ts'
import { servePage } from './page.ts'
import type { Place } from './place.ts'
import { commandLine, entry, Program, type ProgramOptions, passedOn } from './program.ts'

/** How `wherry dev` runs an operator. */
export interface DevOptions {
  /** The path of the program as the user wrote it. */
  readonly program: string
  /** The folder with definitions. */
  readonly crd: string
  /** The port of the page, if that is free. */
  readonly pagePort: number
}

/** The time after the last change of a file until it is read, in milliseconds, because an editor writes a file in several steps. */
const quietMs = 30

/**
 * Runs an operator in a place until the host ends it. Restarts it after each change of its sources, and applies the definitions again after each
 * change of them. Closes the place.
 */
export async function dev(
  { program: file, crd, pagePort }: DevOptions,
  place: Place,
  host: CommandHost,
): Promise<void> {
  const { cwd, stdout, stderr } = host
  const say = (line: string): void => void stderr.write(`wherry dev: ${line}\n`)
  const ending = host.ending?.()
  // Disposed after the place, so that no request of this work is still waiting for an answer.
  await using redefine = oneAtATime(async () => {
    try {
      const warnings = await place.applyDefinitions()
      say(`the definitions in ${crd} are applied`)
      for (const line of warnings) say(line)
    } catch (error) {
      // The user corrects the definitions and saves again.
      if (!ending?.aborted) say(error instanceof Error ? error.message : `${error}`)
    }
  })
  await using _place = place
  if (!existsSync(resolve(cwd, file))) throw wrongUsage(`${file} is not there: name the program of your operator`)
  const overview = new Overview(place.url)
  let asked: readonly string[] = []
  /** Reports that the server no longer calls the webhooks, because the program does not run. */
  const unasked = (): void => {
    if (asked.length > 0) say(`webhooks: ${asked.join(', ')} not asked until ${file} runs again: nothing is refused`)
    asked = []
  }
  const received: ProgramOptions['received'] = message => {
    if (message.type !== 'webhooks') return overview.receive(message)
    asked = message.names
    for (const name of asked) say(`webhooks: ${name} is asked from now on`)
  }
  const program = new Program({
    ...{ file, cwd, stdout, stderr, received },
    env: { ...process.env, PORT: process.env.PORT ?? '0', ...place.env },
    ended(how) {
      void place.programEnded()
      if (ending?.aborted) return
      overview.setProgram(`ended with ${how}`)
      say(`${file} ended with ${how}: it starts again when a file changes`)
      unasked()
    },
  })
  await using page = await servePage(overview, pagePort, (controller, key) => program.explain(controller, key))
  const start = (): void => {
    overview.setProgram('starts')
    program.start()
  }
  await using restart = oneAtATime(async () => {
    say(`a file has changed: ${file} starts again`)
    unasked()
    await program.stop()
    await place.programEnded()
    if (!ending?.aborted) start()
  })
  const folder = resolve(cwd, dirname(file))
  mkdirSync(resolve(cwd, crd), { recursive: true })
  // A program in the project's own folder has node_modules below it, so only the folder itself is watched then.
  using _sources = changesIn(folder, folder !== resolve(cwd), /\.([cm]?[jt]s|json)$/, restart.ask)
  using _definitions = changesIn(resolve(cwd, crd), false, /\.(ya?ml|json)$/, redefine.ask)
  const beside = (await definitionCommands(cwd)).map(command => runBeside(command, host))
  try {
    say(`${place.url}, and what the operator does at ${page.url}`)
    for (const line of place.lines) say(line)
    start()
    if (!ending?.aborted) await (ending ? once(ending, 'abort') : new Promise(() => undefined))
  } finally {
    await Promise.all([program.close(), ...beside.map(one => one.end())])
    await place.programEnded()
    await place.leave()
  }
}

/** The commands in the scripts of the package that write definitions and policies, without `wherry`. Commands for interfaces run with `--watch`. */
async function definitionCommands(cwd: string): Promise<readonly (readonly string[])[]> {
  if (!existsSync(resolve(cwd, 'package.json'))) return []
  const writing = (await ownCommands(cwd)).filter(
    ([name, ...args]) => name === 'crd' && args.includes('--out') && !args.includes('--check'),
  )
  return Promise.all(
    writing.map(async args => {
      const files = args.filter(arg => /\.[cm]?[jt]s$/.test(arg) && existsSync(resolve(cwd, arg)))
      const isOnce = args.includes('--watch') || (await modulesAmong(files, cwd)).length > 0
      return isOnce ? args : [...args, '--watch']
    }),
  )
}

/** Runs a command of `wherry` in another process, which runs until `end`. */
function runBeside(args: readonly string[], { cwd, stdout, stderr }: CommandHost): { end(): Promise<void> } {
  const child: ChildProcess = spawn(
    process.execPath,
    [...process.execArgv, '--import', entry('inside'), commandLine(), ...args],
    { cwd, stdio: ['ignore', passedOn(stdout, 1), passedOn(stderr, 2), 'ipc'] },
  )
  child.stdout?.setEncoding('utf8').on('data', (text: string) => stdout.write(text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => stderr.write(text))
  const exit = once(child, 'exit')
  return {
    async end() {
      child.kill('SIGTERM')
      await exit
    },
  }
}

/** Calls `changed` after files in a folder, or below it, have changed. */
function changesIn(folder: string, recursive: boolean, names: RegExp, changed: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined
  const watcher: FSWatcher = watch(folder, { recursive }, (_, name) => {
    if (name !== null && (!names.test(name) || /(^|[\\/])(node_modules|\.)/.test(name))) return
    clearTimeout(timer)
    timer = setTimeout(changed, quietMs)
  })
  return {
    [Symbol.dispose]() {
      clearTimeout(timer)
      watcher.close()
    },
  }
}

interface Work extends AsyncDisposable {
  /** Starts the work. If it runs already, the work runs once more afterwards. */
  readonly ask: () => void
}

/** Work that never runs twice at once. `work` must not reject. The disposal waits for a running call. */
function oneAtATime(work: () => Promise<void>): Work {
  let working: Promise<void> | undefined
  let isAsked = false
  const go = async (): Promise<void> => {
    while (isAsked) {
      isAsked = false
      await work()
    }
    working = undefined
  }
  return {
    ask() {
      isAsked = true
      working ??= go()
    },
    async [Symbol.asyncDispose]() {
      isAsked = false
      await working
    },
  }
}
