import { startApiServer } from '@wherry/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { sharedRealServer } from '../../packages/testing/src/real/testkit/shared.ts'
import { fieldsOf, type Listed, listedKinds } from './selectable.ts'
import { Target } from './target.ts'

/** How many requests are under way at once. */
const atOnce = 8
/** What every kind is asked for besides its own fields: fields of other kinds, and what looks like a field. */
const ofAny = [
  ...['metadata.name', 'metadata.namespace', 'metadata.uid', 'metadata.labels.a', 'metadata', 'kind', 'spec', 'a', ''],
  ...['status.phase', 'status.successful', 'status.podIPs', 'spec.nodeName', 'spec.unschedulable', 'type', 'reason'],
  ...['source', 'involvedObject.name', 'regarding.name', 'reportingComponent', 'spec.signerName', 'spec.clusterIP'],
]
/** Selectors that are odd in themselves. */
const odd = [
  ...[
    'metadata.name',
    '=',
    '!=a',
    '==a',
    'metadata.name=a=b',
    'metadata.name==a',
    'metadata.name!=a',
    'metadata.name = a',
  ],
  ...['metadata.name=a,', ',', ',metadata.name=a', 'metadata.name=a,metadata.name=b', 'metadata.name=a,spec.a=b'],
  ...['metadata.name=a\\,b', 'metadata.name=a\\=b', 'metadata.name=a\\', 'metadata.name=a\\b', 'metadata.name in (a)'],
  ...[
    'metadata.name>a',
    'metadata.name=\\\\',
    'metadata\\.name=a',
    'metadata.name=é',
    'metadata.name=',
    '!metadata.name',
    'a=\\b,a',
    'b=\\,b=,a=c',
    'a!b=c',
    '=,metadata.name=a',
    '!=',
    '==',
    'a\\,b=c',
    'metadata.name=\\😀',
  ],
]
const oddPaths = ['/api/v1/configmaps', '/api/v1/pods', '/api/v1/nodes', '/apis/batch/v1/jobs']

const available = await realApiServerAvailable('the comparison of field selectors')

describe.runIf(available)('field selectors', () => {
  let found: { readonly ofKinds: Compared; readonly odd: Compared }
  let kinds: readonly Listed[]

  // The servers are here for the comparison alone: the tests below only report what it found.
  beforeAll(async () => {
    await using server = await startApiServer({ authorization: 'RBAC' })
    const targets = { real: new Target('real', await sharedRealServer()), embedded: new Target('embedded', server) }
    const { real, embedded } = targets
    try {
      const served = new Set((await listedKinds(embedded)).map(({ path }) => path))
      kinds = (await listedKinds(real)).filter(({ path }) => served.has(path))
      const asked: string[] = []
      for (const kind of kinds) {
        const fields = new Set([...ofAny, ...(await fieldsOf(real, kind))])
        for (const field of fields) asked.push(...kind.paths.map(path => selecting(path, `${field}=none`)))
      }
      const ofKinds = await compared(targets, asked)
      found = {
        ofKinds,
        odd: await compared(
          targets,
          oddPaths.flatMap(path => odd.map(one => selecting(path, one))),
        ),
      }
    } finally {
      real.close()
      embedded.close()
    }
  }, 600_000)

  it('F4: of every kind, by any of its fields, are taken or refused in the words of a real server', () => {
    const { different, taken } = found.ofKinds
    expect(different).toEqual([])
    expect(kinds.length).toBeGreaterThan(60)
    const own = taken.filter(path => !path.includes('=metadata.'))
    expect(own.length).toBeGreaterThan(50)
  })

  it('F4: that are odd in themselves are taken or refused in the words of a real server', () => {
    expect(found.odd.different).toEqual([])
    expect(found.odd.taken.length).toBeGreaterThan(20)
  })
})

interface Compared {
  /** The requests that the servers answer differently. */
  readonly different: readonly string[]
  /** Those that both take. */
  readonly taken: readonly string[]
}

async function compared({ real, embedded }: Record<'real' | 'embedded', Target>, paths: string[]): Promise<Compared> {
  const [different, taken]: [string[], string[]] = [[], []]
  const work = async (): Promise<void> => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
      const [one, other] = await Promise.all([saidOf(real, path), saidOf(embedded, path)])
      if (one !== other) different.push(`${path}\n  real     ${one}\n  embedded ${other}`)
      else if (one === '200') taken.push(path)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { different, taken }
}

function selecting(path: string, selector: string): string {
  return `${path}?limit=1&fieldSelector=${encodeURIComponent(selector)}`
}

/** The status, and what a refusal says. */
async function saidOf(target: Target, path: string): Promise<string> {
  const { status, text } = await target.ask('GET', path, {})
  return status === 200 ? '200' : `${status} ${JSON.stringify(JSON.parse(text))}`
}
