import { describe, expect, it } from 'vitest'
import { CelEvaluationError, CelSyntaxError, compile, evaluatePolicy, evaluateRules, policyProblems } from './index.ts'

describe('compile', () => {
  it('gives an expression that says what it reads, and evaluates to JSON', () => {
    const expression = compile('a.map(x, x * 2) + [b.size()]', { variables: ['a', 'b', 'c'] })
    expect(expression.reads.toSorted()).toEqual(['a', 'b'])
    expect(compile('type(a) == int', { variables: ['a'] }).reads).toEqual(['a'])
    expect(expression.evaluate({ a: [1, 2], b: 'four' })).toEqual([2, 4, 4])
  })

  it('refuses what is no expression, or reads what is not there, in the words of the server', () => {
    const why = (source: string): unknown => {
      try {
        return compile(source)
      } catch (error) {
        expect(error).toBeInstanceOf(CelSyntaxError)
        return (error as CelSyntaxError).message
      }
    }
    expect(why('1 +')).toContain('Syntax error')
    expect(why('nobody')).toContain("undeclared reference to 'nobody'")
    const deepest = 'ERROR: <input>:-1:0: expression recursion limit exceeded: 250'
    const sums = (depth: number): string => `${'1+('.repeat(depth)}1${')'.repeat(depth)}`
    expect(why(`${'('.repeat(300)}1${')'.repeat(300)}`)).toBe(deepest)
    expect(why(sums(125))).toBe(deepest)
    expect(compile(sums(124)).evaluate()).toBe(125)
    // As in cel-go's parser: a chain of operators or of fields is as deep as it is long, but a chain of `&&` is not.
    expect(compile(`1${'+1'.repeat(250)}`).evaluate()).toBe(251)
    expect(compile(`true${' && true'.repeat(5000)}`).evaluate()).toBe(true)
    const chains = [`1${'+1'.repeat(251)}`, `1${'+1'.repeat(5000)}`, `1${'*1'.repeat(251)} < 2`, '.a'.repeat(252)]
    const deep = 'ERROR: <input>:-1:0: max recursion depth exceeded'
    expect(chains.map(why)).toEqual(chains.map(() => deep))
  })

  it('fails if there is no result', () => {
    const expression = compile('a.b', { variables: ['a'] })
    expect(() => expression.evaluate({ a: {} })).toThrow(CelEvaluationError)
    expect(() => expression.evaluate({ a: {} })).toThrow('no such key: b')
    expect(compile('a == null', { variables: ['a'] }).evaluate()).toBe(true)
    expect(() => compile('timestamp(0)').evaluate()).toThrow(CelEvaluationError)
    expect(() => compile('[0.0 / 0.0]').evaluate()).toThrow(CelEvaluationError)
    expect(() => compile('-1.0 / 0.0').evaluate()).toThrow("the number -Infinity can't be part of an object")
  })

  it('reads half a character as Go does: as U+FFFD', () => {
    const expression = compile('url(a).getEscapedPath()', { variables: ['a'] })
    expect(expression.evaluate({ a: 'https://a/\ud800' })).toBe('/%EF%BF%BD')
  })

  it('reads a whole number that fits no int as a double, as the JSON of a server does', () => {
    const isDouble = compile('type(a) == double', { variables: ['a'] })
    const long = (digits: string): unknown => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits)
    const values = [1e30, -1e30, 2 ** 63, long('9223372036854775808'), 8, -(2 ** 63), long('9223372036854775807')]
    expect(values.map(a => isDouble.evaluate({ a }))).toEqual([true, true, true, true, false, false, false])
  })
})

describe('evaluateRules', () => {
  it('F1: an object is equal to its old state only if its unknown fields are, too', () => {
    const rule = { rule: 'self == oldSelf', message: 'fixed' }
    const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-validations': [rule] }
    const typed = { ...free, properties: { known: { type: 'integer' } } }
    const messages = (spec: object, now: object, old: object): string[] =>
      evaluateRules({ type: 'object', properties: { spec } }, { spec: now }, { spec: old }).map(one => one.message)
    const refused = ['Invalid value: fixed']
    expect(messages(free, { a: { b: 1 } }, { a: { b: 2 } })).toEqual(refused)
    expect(messages(typed, { known: 1, a: 1 }, { known: 1, a: 2 })).toEqual(refused)
    expect(messages(typed, { known: 1, a: [{ b: 1 }] }, { a: [{ b: 1 }], known: 1 })).toEqual([])
    // A real server does not see that another field has the place of `a`.
    expect(messages(free, { a: 1 }, { b: 1 })).toEqual([])
  })

  it('a value of another type than its schema says is a problem, and no exception', () => {
    const why = (schema: object, value: unknown): string[] => {
      const field = { ...schema, 'x-kubernetes-validations': [{ rule: 'self == self' }] }
      const problems = evaluateRules({ type: 'object', properties: { field } }, { field: value })
      return problems.map(({ message }) => message.replace(/^.*?: .*?: | evaluating rule.*$/g, ''))
    }
    for (const value of ['abc', 1.5, true, {}, 1e30])
      expect(why({ type: 'integer' }, value)).toEqual(['invalid data, expected int'])
    for (const value of ['abc', true, []])
      expect(why({ type: 'number' }, value)).toEqual(['invalid data, expected float'])
    expect(why({ type: 'boolean' }, 'true')).toEqual(['invalid data, expected bool'])
    const either = { 'x-kubernetes-int-or-string': true }
    expect(why(either, {})).toEqual(['invalid data, expected XIntOrString value to be either a string or integer'])
    expect([why(either, 'a'), why(either, 1), why({ type: 'number' }, 1), why({ type: 'integer' }, 1)].flat()).toEqual(
      [],
    )
  })

  it('F1: an empty list or map of an object is no zero value', () => {
    const of = (schema: object): object => ({
      ...schema,
      'x-kubernetes-validations': [{ rule: 'optional.ofNonZeroValue(self).hasValue()' }],
    })
    const list = of({ type: 'array', items: { type: 'string' } })
    const map = of({ type: 'object', additionalProperties: { type: 'string' } })
    expect(evaluateRules({ type: 'object', properties: { list, map } }, { list: [], map: {} })).toEqual([])
  })

  const schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: { players: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= oldSelf' }] } },
      },
    },
    'x-kubernetes-validations': [{ rule: 'self.spec.players <= 8', message: 'at most 8', fieldPath: '.spec.players' }],
  }

  it('names the field, and reads the object before only if there is one', () => {
    expect(evaluateRules(schema, { spec: { players: 9 } })).toEqual([
      { field: 'spec.players', reason: 'FieldValueInvalid', message: expect.stringContaining('at most 8') },
    ])
    expect(evaluateRules(schema, { spec: { players: 3 } })).toEqual([])
    const [problem] = evaluateRules(schema, { spec: { players: 3 } }, { spec: { players: 4 } })
    expect(problem?.message).toContain('failed rule: self >= oldSelf')
  })
})

describe('a policy', () => {
  const policy = (spec: object, validation: object): Parameters<typeof evaluatePolicy>[0] => ({
    spec: { ...spec, validations: [{ expression: 'true', ...validation }] },
  })
  const object = { metadata: { name: 'chess', namespace: 'default' }, spec: { players: 9 } }

  it('refuses with its message, its reason, or its expression', () => {
    const refusals = (validation: object): unknown => evaluatePolicy(policy({}, validation), { object }).refusals
    expect(refusals({ expression: 'object.spec.players < 9' })).toEqual([
      { message: 'failed expression: object.spec.players < 9', reason: 'Invalid' },
    ])
    expect(refusals({ expression: 'false', message: ' no ', reason: 'Forbidden' })).toEqual([
      { message: 'no', reason: 'Forbidden' },
    ])
    const messageExpression = '"not " + request.namespace'
    expect(refusals({ expression: 'false', message: 'no', messageExpression })).toMatchObject([
      { message: 'not default' },
    ])
    expect(refusals({ expression: 'request.name == "chess" && request.operation == "CREATE"' })).toEqual([])
  })

  it('says nothing of what its match conditions leave out', () => {
    const matchConditions = [{ name: 'updates', expression: 'request.operation == "UPDATE"' }]
    const asked = policy({ matchConditions }, { expression: 'false', message: 'no' })
    expect(evaluatePolicy(asked, { object })).toEqual({ matches: false, refusals: [], mutations: [] })
    expect(evaluatePolicy(asked, { object, oldObject: object }).refusals).toHaveLength(1)
    expect(evaluatePolicy(asked, { oldObject: object }).matches).toBe(false)
  })

  it('refuses if an expression fails, unless failurePolicy is Ignore', () => {
    const [failing] = [{ expression: 'object.spec.nothing > 1' }]
    expect(evaluatePolicy(policy({}, failing), { object }).refusals[0]?.message).toContain('no such key: nothing')
    expect(evaluatePolicy(policy({ failurePolicy: 'Ignore' }, failing), { object }).refusals).toEqual([])
  })

  it('refuses if a variable reads itself, as one with the name of another does', () => {
    const variables = ['1', 'variables.a + 1'].map(expression => ({ name: 'a', expression }))
    const { refusals } = evaluatePolicy(policy({ variables }, { expression: 'variables.a == 2' }), { object })
    expect(refusals.map(({ message }) => message)).toEqual([expect.stringContaining('the variable reads itself')])
  })

  it('asks what the user may do', () => {
    const expression =
      'authorizer.group("").resource("pods").check("get").allowed() && request.userInfo.username == "jane"'
    const asked = policy({}, { expression })
    expect(evaluatePolicy(asked, { object }).refusals).toHaveLength(1)
    const allows = ({ verb, resource }: { verb: string; resource: string }): boolean =>
      `${verb} ${resource}` === 'get pods'
    expect(evaluatePolicy(asked, { object, user: { username: 'jane' }, allows }).refusals).toEqual([])
  })

  it('makes patches and configurations; a mutation that fails is a refusal, unless failurePolicy is Ignore', () => {
    const mutations = [
      { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/spec"}]' } },
      { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{spec: Object.wrong{a: 1}}' } },
      { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{spec: Object.spec{players: 3}}' } },
    ]
    const made = [{ patch: [{ op: 'remove', path: '/spec' }] }, { apply: { spec: { players: 3 } } }]
    const answer = evaluatePolicy({ spec: { mutations } }, { object })
    expect(answer.mutations).toEqual(made)
    expect(answer.refusals.map(({ message }) => message)).toEqual([
      'type mismatch: unexpected type name "Object.wrong", expected "Object.spec", which matches field name path from root Object type',
    ])
    expect(evaluatePolicy({ spec: { failurePolicy: 'Ignore', mutations } }, { object })).toEqual({
      ...{ matches: true, refusals: [], mutations: made },
    })
  })

  it('refuses if the value of an audit annotation fails', () => {
    const annotation = { key: 'players', valueExpression: 'string(object.spec.nothing)' }
    const { refusals } = evaluatePolicy(policy({ auditAnnotations: [annotation] }, {}), { object })
    expect(refusals.map(({ message }) => message)).toEqual([expect.stringContaining('no such key: nothing')])
    expect(policyProblems({ spec: { auditAnnotations: [{ key: 'a', valueExpression: '1' }] } })).toEqual([
      {
        field: 'spec.auditAnnotations[0].valueExpression',
        message: expect.stringContaining('must evaluate to one of'),
      },
    ])
  })

  it('has the paths of the expressions that a server refuses', () => {
    const wrong = {
      spec: {
        variables: [{ name: 'a', expression: '1 +' }],
        matchConditions: [{ name: 'b', expression: '"text"' }],
        validations: [{ expression: 'params.x', messageExpression: '1' }],
      },
    }
    expect(policyProblems(wrong).map(({ field }) => field)).toEqual([
      ...['spec.variables[0].expression', 'spec.matchConditions[0].expression'],
      ...['spec.validations[0].expression', 'spec.validations[0].messageExpression'],
    ])
    expect(policyProblems(policy({ paramKind: {} }, { expression: 'params.x == 1' }))).toEqual([])
  })
})
