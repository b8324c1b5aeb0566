import type { Scenario, Step } from '../scenario.ts'

type Raw = Record<string, unknown>

const rules = 'x-kubernetes-validations'

function definition(spec: Raw, more: Raw = {}): Raw {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec }, ...more } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'costs.{g}' },
    spec: {
      group: '{g}',
      scope: 'Namespaced',
      names: { plural: 'costs', kind: 'Cost' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Offers a definition, which is taken or refused for what its rules are estimated to cost. */
function define(spec: Raw, more: Raw = {}): Step {
  return { do: 'request', method: 'POST', path: `${definitions}?dryRun=All`, body: definition(spec, more) }
}

const text: Raw = { type: 'string' }
const short: Raw = { type: 'string', maxLength: 40 }
const list = (items: Raw, maxItems?: number): Raw => ({ type: 'array', items, ...(maxItems ? { maxItems } : {}) })
const map = (additionalProperties: Raw, more: Raw = {}): Raw => ({ type: 'object', additionalProperties, ...more })
const object = (properties: Raw, more: Raw = {}): Raw => ({ type: 'object', properties, ...more })

/** Values with and without bounds. */
const fields: Raw = {
  free: text,
  short,
  one: { type: 'string', enum: ['a', 'bcd'] },
  bytes: { type: 'string', format: 'byte' },
  time: { type: 'string', format: 'date-time' },
  either: { 'x-kubernetes-int-or-string': true },
  number: { type: 'integer' },
  frees: list(text),
  shorts: list(short, 30),
  numbers: list({ type: 'integer' }, 100),
  many: list({ type: 'integer' }),
  labels: map(text),
  few: map(short, { maxProperties: 20 }),
  pairs: list(object({ k: short, v: text }, { required: ['k'] }), 50),
  nested: list(list(list(short, 50), 50), 50),
}

/** Each rule in a definition of its own: what it says of one must not hide behind what it says of another. */
const expressions: readonly string[] = [
  'self.number > 0 && self.short == self.one',
  'self.free == self.free',
  "self.free.matches('^[a-z]+(-[a-z0-9]+)*$')",
  "self.either == 'x' || string(self.either).contains('abcdefghijklmnopqrstuvwxyz')",
  "self.free.contains('a long text that is looked for in another')",
  'self.free.contains(self.free)',
  'self.short.contains(self.free)',
  'self.frees.all(x, x == self.short)',
  'self.frees.all(x, self.frees.exists(y, x == y))',
  'self.shorts.all(x, self.shorts.exists_one(y, x == y))',
  'self.shorts.all(x, self.shorts.all(y, self.shorts.all(z, x + y != z)))',
  'self.shorts.map(x, x + x).all(x, size(x) > 1)',
  "self.shorts.filter(x, x.startsWith('a')).map(x, x.upperAscii()).exists(x, x in self.shorts)",
  'self.many.all(x, x > 0)',
  'self.many.all(x, x in self.many)',
  'self.many.isSorted() && self.many.sum() > 0',
  'self.many.all(x, self.numbers.all(y, x > y))',
  "self.labels.all(k, self.labels[k] == '')",
  "self.labels.all(k, k.startsWith('a'))",
  'self.few.all(k, self.few[k].size() > size(k))',
  'self.few.all(k, v, self.few.exists(l, w, k != l && v == w))',
  'self.few.transformMap(k, v, v + v).all(k, k.size() > 1)',
  "self.pairs.all(p, self.pairs.exists(q, p.k == q.k && p.v == 'a'))",
  'self.pairs.all(p, p.v.size() < 5)',
  'self.nested.all(a, a.all(b, b.all(c, c.size() > 1)))',
  'self.nested.all(a, self.nested.all(b, a == b))',
  "self.free.replace('a', 'bcdefg').replace('b', 'cdefghi').split('c').size() > 1",
  "self.shorts.join(', ').size() < 100 && self.frees.join(self.short).size() > 1",
  "self.free.lowerAscii().trim().substring(3).indexOf('a') > 1",
  "self.free.findAll('a+b').all(x, x.size() > 1)",
  'isIP(self.free) && ip(self.free).family() == 4',
  "cidr('10.0.0.0/8').containsIP(self.free) && cidr(self.short).containsCIDR('10.0.0.0/8')",
  "url(self.free).getHost() == 'a' && isQuantity(self.free) && quantity(self.short) == quantity('1')",
  'sets.contains(self.frees, self.shorts)',
  'sets.equivalent(self.shorts, self.shorts) && sets.intersects(self.numbers, self.numbers)',
  'self.numbers.sort() == self.numbers.distinct() && self.shorts.sort().size() > 2',
  'self.many.sort().size() > 0',
  'self.shorts.sortBy(x, size(x)).size() > 1',
  'lists.range(5000).all(x, lists.range(200).all(y, x + y >= 0))',
  'lists.range(5000).all(x, lists.range(2000).all(y, x + y >= 0))',
  'lists.range(self.number).size() > 0',
  'self.numbers.reverse().slice(1, 4).size() == 3 && self.nested.flatten(2).size() > 1',
  "['a', 'b', 'c'].all(x, self.frees.exists(y, x == y))",
  '[self.free, self.short].exists(x, x == self.free)',
  "{'a': self.free}.all(k, k == self.free)",
  "(self.number > 1 ? self.free : self.short).matches('a+')",
  "self.?free.orValue('a').matches('a+b+c+')",
  "self.?free.optMap(x, x + x).orValue('a').size() > 2",
  'string(self.bytes).size() > 1 && bytes(self.free).size() > 1',
  "!format.dns1123Label().validate(self.free).hasValue() && 'a%s'.format([self.free]).size() > 1",
  "self.time > timestamp('2020-01-01T00:00:00Z') && self.time.getFullYear() > 2020",
  'dyn(self.free) == dyn(self.short) && dyn(self.frees).all(x, x == self.free)',
  'type(self.free) == string && has(self.free) && !has(self.short)',
  'self.frees[0] == self.frees[1] && self.pairs[0].v.contains(self.pairs[1].v)',
  'self.free < self.short || self.free >= self.free',
  "self.free + self.free == self.short + 'a'",
]

const path = '/apis/{g}/v1/namespaces/{ns}/costs'

const measured: Raw = {
  short: 'höllo',
  shorts: Array(30).fill('abcdefghij'),
  numbers: Array.from({ length: 100 }, (_, i) => i),
}

/** Creates an object, which has its rules evaluated. `round` turns on a single rule. */
function create(round: number): Step {
  const spec = { round, ...measured }
  const body = { apiVersion: '{g}/v1', kind: 'Cost', metadata: { name: 'one' }, spec }
  return { do: 'request', method: 'POST', path: `${path}?dryRun=All`, body }
}

/** Their types, and no others: a real server copies all properties of an object each time that a rule reads one. */
const { shorts, numbers } = fields
const measuredFields: Raw = { short, shorts, numbers, round: { type: 'integer' } }

/** What is evaluated in a loop, what a round of it costs, and whether a real server takes seconds for a million units of it. */
const parts: readonly (readonly [part: string, cost: number, isSlow?: true])[] = [
  ["self.numbers.all(n, self.shorts[0].split('c')[0] == 'ab' && [n, n][0] == n)", 2707, true],
  [
    "self.numbers.all(n, self.shorts[3] + self.shorts[4] != '' && self.numbers[0] == 0 && self.shorts.size() > 1)",
    1907,
    true,
  ],
  ['self.numbers.map(x, x + 1).size() > 1', 1409],
  ["self.numbers.all(n, self.shorts.join(',').size() > 1)", 7307],
  ['self.numbers.sort().size() > 1', 20019],
  ['self.shorts.distinct().size() == 1', 1909],
  ['self.numbers.all(n, sets.contains(self.numbers, [1, 2]))', 20607],
  [
    "self.numbers.all(n, string(bytes(self.short)) == self.short && quantity('1Gi').isGreaterThan(quantity('1M')) && '%d'.format([n]) != '')",
    2507,
    true,
  ],
]

/**
 * Costs much and takes little time. It is evaluated before what is slow, until a fifth of the limit is left: then a unit more or less for
 * each number is still more than one round.
 */
const dear = { loop: 'lists.range(40).all(times, self.numbers.sort().size() > 1)', cost: 40 * 20_019 }

/** Loops with as many rounds of a part as are just within the limit of an evaluation, and with one more than can be. */
function loopsOf([part, cost, isSlow]: (typeof parts)[number]): readonly string[] {
  const limit = 1_000_000 - (isSlow ? dear.cost : 0)
  // The loops themselves cost less than this.
  const around = isSlow ? 100 : 60
  return [Math.floor((limit - around) / cost), Math.floor(limit / cost) + 1].map(count => {
    const loop = `lists.range(${count}).all(times, ${part})`
    return isSlow ? `${dear.loop} && ${loop}` : loop
  })
}

/** Has parts evaluated in an object: in each step one of them. */
function evaluations(chosen: typeof parts): Scenario['steps'] {
  const loops = chosen.flatMap(loopsOf)
  const written = loops.map((loop, i) => ({ rule: `self.round != ${i} || ${loop}` }))
  const spec = object(measuredFields, { [rules]: written })
  return [
    { do: 'request', method: 'POST', path: definitions, body: definition(spec), quiet: true },
    { do: 'wait', path, for: { status: 200 } },
    ...loops.map((_, i) => create(i)),
  ]
}

const big = "self.matches('^[a-z]+$')"

/** What rules are estimated to cost, and what a definition is refused for it. */
export const ruleCostScenarios: readonly Scenario[] = [
  {
    name: 'what a rule is estimated to cost',
    steps: expressions.map(rule => define(object(fields, { [rules]: [{ rule }] }))),
  },
  {
    // A server reports only costs beyond the budget: a loop makes each expression go beyond it.
    name: 'what a rule in a loop is estimated to cost',
    steps: expressions.map(rule =>
      define(
        object(fields, {
          [rules]: [100, 10_000, 1_000_000].map(times => ({ rule: `lists.range(${times}).all(times, ${rule})` })),
        }),
      ),
    ),
  },
  {
    name: 'what the values above a rule let it cost',
    steps: [
      define(list(object({ a: { ...text, [rules]: [{ rule: "self != 'a'" }] } }))),
      define(list(object({ a: { ...short, [rules]: [{ rule: big }] } }))),
      define(list(object({ a: { ...short, [rules]: [{ rule: big }] } }), 1000)),
      define(list(object({ a: { ...text, [rules]: [{ rule: big }] } }), 10)),
      define(map({ ...short, [rules]: [{ rule: 'self.size() > 1' }] })),
      define(map({ ...text, [rules]: [{ rule: 'self == oldSelf' }] }, { maxProperties: 9 })),
      define(map(map({ ...short, [rules]: [{ rule: 'self.size() > 1' }] }), { maxProperties: 9 })),
      define(
        map(map({ ...short, [rules]: [{ rule: 'self.size() > 1' }] }, { maxProperties: 90 }), { maxProperties: 9 }),
      ),
      define(
        list(
          object(
            { a: short, b: { type: 'integer' }, c: { ...short, default: 'x' } },
            { required: ['a', 'b', 'c'], [rules]: [{ rule: 'self.a == self.c && self.b > 1' }] },
          ),
        ),
      ),
      define(list({ 'x-kubernetes-int-or-string': true, [rules]: [{ rule: "self == 'x' || self == 1" }] })),
      define(
        object(
          {
            embedded: {
              type: 'object',
              'x-kubernetes-embedded-resource': true,
              'x-kubernetes-preserve-unknown-fields': true,
            },
          },
          { [rules]: [{ rule: 'self.embedded.metadata.name.contains(self.embedded.kind)' }] },
        ),
      ),
      define(short, {
        [rules]: [{ rule: "self.metadata.name.contains(self.spec) && self.metadata.generateName.matches('a+')" }],
      }),
    ],
  },
  {
    name: 'what a message costs, and all rules together',
    steps: [
      define(object(fields, { [rules]: [{ rule: 'true', messageExpression: "self.free + self.free + 'a'" }] })),
      define(
        object(fields, {
          [rules]: [{ rule: 'true', messageExpression: "self.nested.map(a, self.frees.join(',')).join(',')" }],
        }),
      ),
      define(
        object(fields, {
          [rules]: Array.from({ length: 30 }, (_, i) => ({
            rule: `self.free.matches('${'a'.repeat(60 + 4 * i)}')`,
            messageExpression: i % 3 === 0 ? `self.free + '${i}'` : '',
          })).map(({ messageExpression, ...rule }) =>
            messageExpression === '' ? rule : { ...rule, messageExpression },
          ),
        }),
      ),
      define(
        object(fields, {
          [rules]: [1, 2, 3].map(i => ({ rule: `self.frees.all(x, self.frees.all(y, x == y && ${i} == ${i}))` })),
        }),
      ),
    ],
  },
  { name: 'what an evaluation costs', steps: evaluations(parts) },
]
