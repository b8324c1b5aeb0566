import fc from 'fast-check'
import {
  apply,
  collect,
  del,
  get,
  jsonPatch,
  merge,
  post,
  put,
  quietly,
  type Step,
  strategic,
  watch,
} from './scenario.ts'
import { cms, games } from './scenarios/shapes.ts'

/** What random requests are about: a built-in and a custom resource. */
const resources = [
  { path: cms, head: { apiVersion: 'v1', kind: 'ConfigMap' }, content: 'data' },
  { path: games, head: { apiVersion: '{g}/v1', kind: 'Game' }, content: 'spec' },
] as const
type Resource = (typeof resources)[number]

const name = fc.constantFrom('a', 'b', 'c')
const label = fc.constantFrom('x', 'y')
const value = fc.constantFrom('1', '2', '3')

const metadata = fc.record(
  {
    labels: fc.oneof(fc.record({ l: label }), fc.constant({}), fc.record({ l: label, m: label })),
    annotations: fc.record({ note: value }),
    finalizers: fc.constantFrom(['ex.io/f'], ['ex.io/f', 'ex.io/g'], []),
    // None of a list: whether that is an object's too depends on what else goes on in the server.
    resourceVersion: fc.constantFrom('{rva}', '1'),
    uid: fc.constantFrom('{uid}', '00000000-0000-4000-8000-000000000000'),
  },
  { requiredKeys: [] },
)

const object = (resource: Resource): fc.Arbitrary<object> =>
  fc.record({ name, metadata, content: fc.dictionary(fc.constantFrom('a', 'b'), value) }).map(made => ({
    ...resource.head,
    metadata: { ...made.metadata, name: made.name },
    [resource.content]: made.content,
  }))

/** Values remembered from answers, so that requests speak of what there is, or was. */
const remembered = { rva: '?metadata.resourceVersion', uid: '?metadata.uid' }

function step(resource: Resource): fc.Arbitrary<Step> {
  const { path, content } = resource
  const at = name.map(one => `${path}/${one}`)
  const dry = fc.constantFrom('', '', '', '?dryRun=All')
  const changes = fc.oneof(
    fc.record({ metadata }),
    fc.dictionary(fc.constantFrom('a', 'b'), fc.option(value)).map(change => ({ [content]: change })),
    fc.constantFrom({}, { metadata: { finalizers: null } }, { metadata: { labels: null } }, { [content]: null }),
  )
  const operation = fc.oneof(
    fc.record({
      op: fc.constantFrom('add', 'replace', 'test'),
      path: fc.constantFrom(`/${content}/a`, `/${content}/b`, '/metadata/labels/l'),
      value,
    }),
    fc.record({
      op: fc.constant('remove'),
      path: fc.constantFrom(`/${content}/a`, '/metadata/finalizers', '/metadata/finalizers/0', '/metadata/labels'),
    }),
    fc.record({
      op: fc.constantFrom('move', 'copy'),
      from: fc.constantFrom(`/${content}/a`, `/${content}/b`),
      path: fc.constantFrom(`/${content}/b`, `/${content}/c`),
    }),
  )
  // Not by NotOlderThan: how far a cache is by then is nobody's promise.
  const query = fc.constantFrom(
    ...[
      '',
      '?limit=1',
      '?limit=2',
      '?labelSelector=l%3Dx',
      '?labelSelector=l%21%3Dx',
      '?labelSelector=m',
      '?labelSelector=%21l',
    ],
    ...[
      '?fieldSelector=metadata.name%3Da',
      '?fieldSelector=metadata.name%21%3Da',
      '?resourceVersion={rv}&resourceVersionMatch=Exact',
    ],
    ...['?resourceVersion={rv}&limit=1', '?limit=1&continue={next}'],
    ...['?limit=2&continue={next}', '?labelSelector=l%20in%20(x,y)&limit=1'],
  )
  const precondition = fc.constantFrom(
    undefined,
    undefined,
    { preconditions: { uid: '{uid}' } },
    { preconditions: { resourceVersion: '{rva}' } },
  )
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(object(resource), dry).map(([body, more]) => post(path + more, body, { save: remembered })),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(at, object(resource), dry)
        .map(([to, body, more]) => put(to + more, body, { save: remembered })),
    },
    {
      weight: 4,
      arbitrary: fc.tuple(at, changes, dry).map(([to, body, more]) => merge(to + more, body, { save: remembered })),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(at, fc.array(operation, { maxLength: 3 }))
        .map(([to, body]) => jsonPatch(to, body, { save: remembered })),
    },
    { weight: 2, arbitrary: fc.tuple(at, precondition, dry).map(([to, body, more]) => del(to + more, body)) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('?labelSelector=l%3Dx', '', '?fieldSelector=metadata.name%3Db')
        .map(more => del(path + more)),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(object(resource), fc.constantFrom('me', 'you'), fc.constantFrom('?force=false', '?force=true'), dry)
        .map(([body, manager, force, more]) => {
          const { metadata, ...rest } = body as { metadata: Record<string, unknown> & { name: string } }
          // What is empty, a real server keeps of an applied custom resource, unseen, until the next write.
          const isEmpty = (value: unknown): boolean =>
            typeof value === 'object' && Object.keys(value ?? {}).length === 0
          const given = Object.fromEntries(Object.entries(metadata).filter(([, value]) => !isEmpty(value)))
          const to = `${path}/${metadata.name}${force}${more.replace('?', '&')}`
          return apply(manager, to, { ...rest, metadata: given }, { save: remembered })
        }),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(at, changes, dry).map(([to, body, more]) => strategic(to + more, body, { save: remembered })),
    },
    { weight: 2, arbitrary: at.map(to => get(to, { save: remembered })) },
    {
      weight: 4,
      arbitrary: query.map(more =>
        get(path + more, { save: { rv: '?metadata.resourceVersion', next: '?metadata.continue' } }),
      ),
    },
  )
}

/** The object that is made last: a watch that has delivered it has delivered everything. */
const last = 'zz-last'

/** The requests of one seed: about thirty, and watches over both resources from the first to the last. */
export function stepsOf(seed: number): readonly Step[] {
  const steps = fc.array(fc.oneof(step(resources[0]), step(resources[1])), { minLength: 25, maxLength: 35 })
  const [chosen = []] = fc.sample(steps, { seed, numRuns: 1 })
  return framed(chosen)
}

/** Steps with what begins and ends every sequence. */
export function framed(steps: readonly Step[]): readonly Step[] {
  const watched = ['', '&labelSelector=l%3Dx'].flatMap((more, i) =>
    resources.map(({ path }, j) => ({ id: `w${i}${j}`, path: `${path}?watch=1&resourceVersion={rv${j}}${more}` })),
  )
  return [
    ...resources.map(({ path }, j) =>
      quietly(get(path, { save: { [`rv${j}`]: 'metadata.resourceVersion', rv: 'metadata.resourceVersion' } })),
    ),
    ...watched.map(({ id, path }) => watch(id, path)),
    ...steps,
    ...resources.map(({ path, head }) =>
      quietly(post(path, { ...head, metadata: { name: last, labels: { l: 'x' } } })),
    ),
    ...watched.map(({ id }) => collect(id, { name: last })),
  ]
}
