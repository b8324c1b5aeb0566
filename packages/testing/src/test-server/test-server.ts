import {
  type Account,
  type ApiServer,
  type EmbeddedApiServer,
  type Grant,
  install,
  type ManifestSource,
  type MemoryTransport,
  recordRights,
} from '@wherry/apiserver'
import { asking } from '@wherry/apiserver/internal'
import type { Environment } from '../environment.ts'
import { checkPlayOptions, type PlayOptions } from '../play/options.ts'
import { type Player, play } from '../play/play.ts'
import type { RealApiServer } from '../real/real-apiserver.ts'
import { type Simulation, simulate } from '../simulate/simulate.ts'
import { type AnyServerOptions, type CommonOptions, startApiServer } from '../start.ts'
import { type ClusterObject, clusterObjects, deleteNewObjects } from './cluster-objects.ts'
import { createNamespace, deleteNamespace } from './namespaces.ts'
import { atomicConditionsOf, ownDefinitions } from './own-definitions.ts'
import { ReportedErrors } from './reported-errors.ts'
import { RunOperators } from './run-operators.ts'

/** Options of `setUpApiServer`. */
export interface TestServerOptions extends CommonOptions {
  /** Which server the tests run against. @default 'embedded' */
  readonly kind?: AnyServerOptions['kind'] | undefined
  /** Manifests that are installed before the first test: paths, YAML texts and objects, as for `install`. @default none */
  readonly install?: ManifestSource | readonly ManifestSource[] | undefined
  /**
   * The rights of the operator, such as `rolesIn('deploy')`. The server's `authorization` is then `'RBAC'`, and an embedded server records in
   * `.wherry/rights` the rights that each passed test used, for `wherry rbac`. A failed test keeps its last recording. Recordings of tests
   * that their file no longer has are deleted, and named on standard error.
   * If the operator lacks a right, `settled` rejects at once, and the test fails with the remedy; `expectError` allows the error.
   * With this option, `enforceOwnerRights` is true by default on an embedded server, as on OpenShift, so that the rights are enough on every cluster.
   * @default everything, and nothing is written
   */
  readonly rights?: readonly Grant[] | undefined
  /**
   * The kinds of a cluster that are played while the tests run, as for `play`: `{ pods: true, deployments: true }`. An error of the play fails the test,
   * unless the test expects the error. @default nothing
   */
  readonly play?: Omit<PlayOptions, 'onError'> | undefined
  /**
   * `simulated`: the server is in memory, and the test controls the clock and all random numbers of the server and of its clients. Each test is then a
   * function for `simulation.run`: `it('…', () => cluster.simulation.run(async () => { … }))`. Embedded servers only.
   * @default 'real'
   */
  readonly time?: 'real' | 'simulated' | undefined
  /** The seed of the simulation. @default 1 */
  readonly seed?: number | undefined
}

/** Options for a client: `new Client(cluster.operator)`. */
export interface TestConnection {
  readonly url: string
  readonly ca: string | undefined
  readonly token: string
  readonly environment: Partial<Environment> & Pick<Environment, 'onError'>
  /** The transport for requests, in simulated time only. */
  readonly transport?: MemoryTransport
}

/** A client or an operator that a test opens. */
export interface Closable {
  close(): Promise<unknown>
}

/** The API server of a file of tests, with a namespace and connections for each test. The properties throw a `TypeError` outside of a test. */
export interface TestServer {
  /** The API server. Its faults, and a refusal of connections, end with the test that began them. */
  readonly server: ApiServer
  /** The time of the tests. Throws a `TypeError` without `time: 'simulated'`. */
  readonly simulation: Simulation
  /** The namespace of the running test. It is deleted after the test, as are the objects without a namespace that the test made. */
  readonly namespace: string
  /** The player of the option `play`. Throws a `TypeError` without that option. */
  readonly player: Pick<Player, 'settled'>
  /** The connection for the client of the operator, with its `rights`. */
  readonly operator: TestConnection
  /** The connection for the client of the test, with all rights. */
  readonly admin: TestConnection
  /** Closes a client or an operator after the test, the last first, and returns it. If a `close` rejects, the others are still closed, and the test fails. */
  closeAfterTest<T extends Closable>(closable: T): T
  /**
   * Expects a reported error with a message that contains this text, or matches. The test fails if no such error is reported. It also fails for each error
   * that a client or an operator reports through `operator` or `admin` without a matching call, and for each key that does not come to rest because
   * of the writes of its own runs. An `ATOMIC_CONDITIONS` is only a warning, unless the definition is in the project's own files, texts and objects of
   * `install`.
   */
  expectError(message: string | RegExp): void
}

/** The hooks of a test runner: once around all tests of a file, or of a `describe`, and around each test, with its name. */
export interface TestHooks {
  beforeAll(hook: () => Promise<void>): void
  afterAll(hook: () => Promise<void>): void
  beforeEach(hook: () => Promise<void>): void
  /** `isPassed`: the test itself did not fail. `file`: the path of its file, if the runner provides it. */
  afterEach(hook: (test: string, isPassed: boolean, file?: string) => Promise<void>): void
}

/** The state of a running test. */
interface Current {
  readonly namespace: string
  readonly errors: ReportedErrors
  readonly open: Closable[]
  /** The operators that the test has run. */
  readonly operators: RunOperators
  /** The objects without a namespace that existed before the test. */
  readonly before: ReadonlyMap<string, ClusterObject>
}

/** The server of a file of tests while it runs. */
interface Running {
  readonly server: EmbeddedApiServer | RealApiServer
  readonly account: Account | undefined
  readonly simulation: Simulation | undefined
  readonly player: Player | undefined
  /** Calls a function in the time of the tests. */
  within<T>(fn: () => Promise<T>): Promise<T>
}

/** The `setUpApiServer` of a test runner that has these hooks. */
export function testServer(hooks: TestHooks, options: TestServerOptions): TestServer {
  let running: Running | undefined
  let current: Current | undefined
  const earlier: ReportedErrors[] = []
  let made = 0
  let own: ReadonlySet<string> | undefined
  const warned = new Set<string>()
  /** Whether an error is about a definition that the project can't change. Such an error is reported once, and fails no test. */
  const isForeign = (error: Error): boolean => {
    const definition = atomicConditionsOf(error)
    if (definition === undefined) return false
    // Read only now: most files of tests never need the names, and an earlier hook may make their manifests.
    own ??= ownDefinitions([options.install ?? []].flat())
    if (own.has(definition)) return false
    if (!warned.has(definition))
      process.stderr.write(
        `setUpApiServer: ${error.message}. It is not a definition of this project, so no test fails.\n`,
      )
    warned.add(definition)
    return true
  }
  if (options.play !== undefined) checkPlayOptions(options.play)
  hooks.beforeAll(async () => {
    running = await started(options, error => (current?.errors ?? earlier.at(-1))?.report(error, { phase: 'play' }))
  })
  hooks.afterAll(async () => {
    await running?.within(async () => {
      await running?.player?.close()
      await running?.server.close()
    })
    running = undefined
    for (const one of earlier) one.checkLate()
  })
  hooks.beforeEach(() => {
    const { server, within } = present(running)
    const namespace = `test-${earlier.length + 1}`
    return within(async () => {
      const before = await asking(server, async asker => {
        await createNamespace(asker, namespace)
        return clusterObjects(asker)
      })
      if (server.kind === 'embedded') await Promise.all([server.resetStats(), server.resetRights()])
      current = { namespace, errors: new ReportedErrors(), open: [], operators: new RunOperators(), before }
    })
  })
  hooks.afterEach((test, isPassed, file) => {
    const { server, account, within } = present(running)
    const { namespace, errors, open, operators, before } = present(current)
    current = undefined
    earlier.push(errors)
    // A test must not pass if its operator does useless work in a loop, which would cost its users.
    for (const loop of operators.loops) errors.report(new Error(loop), { phase: 'an operator that is to come to rest' })
    return within(async () => {
      const failures = await failuresOf([
        // Faults end first, so that they do not affect the next steps.
        async () => endFaults(server),
        ...open.reverse().map(one => async () => one.close()),
        () => operators.close(),
        () => asking(server, asker => deleteNamespace(asker, namespace)),
        () => asking(server, asker => deleteNewObjects(asker, before)),
        async () => errors.check(),
      ])
      // A failed test may not have used all rights that it needs, so its last recording stays.
      if (isPassed && failures.length === 0 && server.kind === 'embedded' && account !== undefined)
        await recordRights(server, { user: account.user, test, file })
      if (failures.length > 0) throw failures[0]
    })
  })
  const connection = (token: string): TestConnection => {
    const { server, simulation } = present(running)
    const { errors, open, operators } = present(current)
    const { url, ca } = server
    const onError: Environment['onError'] = (error, context) => {
      if (isForeign(error)) return
      const refusal = errors.report(error, context)
      if (refusal !== undefined) operators.giveUp(refusal)
    }
    if (simulation === undefined) return { url, ca, token, environment: { onError } }
    made += 1
    const transport = (server as EmbeddedApiServer).transport({
      random: simulation.random.fork(`network ${made}`),
    })
    open.unshift({ close: async () => transport.close() })
    return { url, ca, token, transport, environment: { ...simulation.environment, onError } }
  }
  return {
    get server() {
      return present(running).server
    },
    get simulation() {
      const { simulation } = present(running)
      if (simulation === undefined)
        throw new TypeError("setUpApiServer: only with time: 'simulated' is there a simulation")
      return simulation
    },
    get player() {
      const { player } = present(running)
      if (player === undefined) throw new TypeError('setUpApiServer: only with the option play is there a player')
      return player
    },
    get namespace() {
      return present(current).namespace
    },
    get operator() {
      const { server, account } = present(running)
      return connection(account?.token ?? server.token)
    },
    get admin() {
      return connection(present(running).server.token)
    },
    closeAfterTest(closable) {
      present(current).open.push(closable)
      return closable
    },
    expectError: message => present(current).errors.expect(message),
  }
}

/** The limits of the simulation of a file of tests: ten years, in milliseconds, and no limit of steps. */
const simulated = { limitMs: 315_360_000_000, maxSteps: Number.MAX_SAFE_INTEGER }

async function started(
  {
    kind = 'embedded',
    install: sources = [],
    rights,
    time = 'real',
    seed = 1,
    play: played,
    ...common
  }: TestServerOptions,
  onError: (error: Error) => void,
): Promise<Running> {
  if (time === 'simulated' && kind !== 'embedded') {
    throw new TypeError(`setUpApiServer: time: 'simulated' needs an embedded server, and kind is ${kind}`)
  }
  // Not by default on a real server: its plugin may need half a minute to see a new definition, and refuses owners of that kind until then.
  const { enforceOwnerRights = rights !== undefined && kind === 'embedded' } = common
  const authorization = rights === undefined ? common.authorization : 'RBAC'
  const options = { ...common, authorization, enforceOwnerRights }
  const simulation = time === 'simulated' ? simulate(seed, simulated) : undefined
  const within: Running['within'] = fn => (simulation === undefined ? fn() : (simulation.run(fn) as Promise<never>))
  return within(async () => {
    const server =
      simulation === undefined
        ? await startApiServer({ ...options, kind })
        : await startApiServer({
            ...options,
            ...{ sockets: false, clock: simulation.clock, random: simulation.random.fork('server') },
          })
    try {
      await install(server, ...[sources].flat())
      const account = rights === undefined ? undefined : await server.account(rights)
      const player = played === undefined ? undefined : await play(server, { ...played, onError })
      return { server, account, simulation, player, within }
    } catch (error) {
      await server.close()
      throw error
    }
  })
}

/** Ends the faults that a test began. */
async function endFaults(server: EmbeddedApiServer | RealApiServer): Promise<void> {
  if (server.kind !== 'embedded') return
  await server.faults.clear()
  await server.refuse(false)
}

/** Runs all steps, one after the other, even if some of them fail. Resolves with the errors. */
async function failuresOf(steps: readonly (() => Promise<unknown>)[]): Promise<readonly unknown[]> {
  const failures: unknown[] = []
  for (const step of steps) await step().catch(error => failures.push(error))
  return failures
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('setUpApiServer: the server is there in tests and their hooks alone')
  return value
}
