import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { startEmbeddedApiServer, type UsedRight } from '@wherry/apiserver'
import { refused } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { createDefinitions } from './create-definitions.ts'
import { isDeclaration, type OperatorDeclaration } from './declaration.ts'

/** The declaration of a program, and its requests until its operator began to run. */
export interface DeclaredProgram {
  /** The path of the program as the user wrote it. */
  readonly file: string
  readonly declaration: OperatorDeclaration
  /** The rights for requests before the operator ran, such as discovery. */
  readonly used: readonly UsedRight[]
}

/** How a program is run. */
export interface ProgramOptions {
  /** The namespace of its kubeconfig: that of its pod. */
  readonly namespace: string
  /** The folder with the definitions. It may be missing. */
  readonly crd: string
}

/** How long a program may take until its operator runs, in milliseconds. */
const timeoutMs = 60_000

/** A module that writes the declaration of an operator when the operator begins to run, and then ends the process. */
const hook = `
import { subscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'
const file = process.env.WHERRY_DECLARATION
subscribe('wherry.operator.run', declaration => {
  writeFileSync(file, JSON.stringify(declaration))
  process.exit(0)
})`

/**
 * Runs a program on an embedded API server with the definitions of the project, until its operator begins to run, and resolves with the
 * declaration. Rejects with the program's output if the program ends before.
 */
export async function declaredBy(
  program: string,
  { namespace, crd }: ProgramOptions,
  host: CommandHost,
): Promise<DeclaredProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'wherry-program-'))
  try {
    await using server = await startEmbeddedApiServer({ authorization: 'RBAC' })
    await createDefinitions(server, crd, host)
    const everything = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]
    const { user, kubeconfig } = await server.account(everything, { namespace })
    const paths = { kubeconfig: join(folder, 'kubeconfig'), declaration: join(folder, 'declaration.json') }
    const contexts = kubeconfig.contexts.map(one => ({ ...one, context: { ...one.context, namespace } }))
    await writeFile(paths.kubeconfig, JSON.stringify({ ...kubeconfig, contexts }), { mode: 0o600 })
    await runProgram(program, host.cwd, { KUBECONFIG: paths.kubeconfig, WHERRY_DECLARATION: paths.declaration })
    const declaration: unknown = JSON.parse(await readFile(paths.declaration, 'utf8'))
    if (!isDeclaration(declaration))
      throw refused(`${program} has a @wherry/controller of another version than this @wherry/cli: update both`)
    return { file: program, declaration, used: await server.usedRights(user) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function runProgram(program: string, cwd: string, env: Readonly<Record<string, string>>): Promise<void> {
  const declared = `data:text/javascript,${encodeURIComponent(hook)}`
  const child = spawn(process.execPath, [...process.execArgv, '--import', declared, resolve(cwd, program)], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
  }, timeoutMs)
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  const [code, signal] = await new Promise<[number | null, string | null]>((ended, failed) => {
    child.once('error', failed)
    child.once('close', (...how) => ended(how))
  }).finally(() => clearTimeout(timer))
  const { WHERRY_DECLARATION: file = '' } = env
  const isDeclared = await readFile(file).then(
    () => true,
    () => false,
  )
  if (isDeclared) return
  const how = isLate ? `did not run its operator within ${timeoutMs / 1000} s` : `ended with ${signal ?? code}`
  const words = (await said).join('').trim()
  const missing = code === 0 ? 'it never called run of an Operator' : words
  throw refused(`${program} ${how}: ${missing}`)
}
