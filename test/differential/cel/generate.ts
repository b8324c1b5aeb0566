import { choose, seededRandom } from '../../../packages/apiserver/src/random.ts'

type Draw = () => number

/** Expressions of each type by the name of their type; `#` is a place for another, of the type that follows. */
const shapes: Readonly<Record<string, readonly string[]>> = {
  bool: [
    ...['true', 'false', 'self.b', 'has(self.absent)', 'has(self.map.k)', '!#bool', '#bool && #bool', '#bool || #bool'],
    ...[
      '#int < #int',
      '#int == #int',
      '#double >= #double',
      '#string == #string',
      '#string < #string',
      '#int in #ints',
    ],
    ...[
      '#string.contains(#string)',
      '#string.startsWith(#string)',
      '#string.matches("[a-c]+")',
      '#ints.all(x, x > #int)',
    ],
    ...[
      '#ints.exists(x, x == #int)',
      '#ints.exists_one(x, x > #int)',
      '#any == #any',
      '#int < #double',
      '#ints.isSorted()',
    ],
    ...['#string in self.map', '#string in self.set', 'sets.contains(#ints, #ints)', '#ints == #ints', 'isIP(#string)'],
    ...[
      '#duration > #duration',
      '#time < #time',
      'type(#any) == int',
      'self.?absent.hasValue()',
      '#bool ? #bool : #bool',
    ],
    ...['#ints.all(i, v, i < v)', 'isQuantity(#string)', 'isSemver(#string)', '#strings.exists(s, s == #string)'],
  ],
  int: [
    ...[
      '0',
      '1',
      '-3',
      '7',
      '9223372036854775807',
      'self.i',
      'self.absent',
      'self.object.x',
      '#int + #int',
      '#int - #int',
    ],
    ...[
      '#int * #int',
      '#int / #int',
      '#int % #int',
      '-#int',
      'size(#string)',
      '#ints.size()',
      '#ints[#int]',
      'int(#double)',
    ],
    ...[
      'int(#string)',
      '#bool ? #int : #int',
      '#string.indexOf(#string)',
      '#ints.sum()',
      '#ints.max()',
      '#time.getHours()',
    ],
    ...[
      '#duration.getMinutes()',
      'self.items[#int].n',
      'self.?absent.orValue(#int)',
      '#ints.indexOf(#int)',
      'self.map.size()',
    ],
  ],
  double: [
    ...[
      '0.5',
      '-1.25',
      '3.0',
      '1e10',
      'self.d',
      '#double + #double',
      '#double * #double',
      '#double / #double',
      'double(#int)',
    ],
    ...['double(#string)', '#bool ? #double : #double', '[#double, #double].max()'],
  ],
  string: [
    ...[
      "''",
      "'a'",
      "'abc'",
      "'é'",
      "'12'",
      "'10.0.0.1'",
      'self.s',
      'self.map.k',
      'self.object.y__dash__z',
      '#string + #string',
    ],
    ...['string(#int)', 'string(#double)', 'string(#bool)', '#string.substring(#int)', '#string.substring(#int, #int)'],
    ...['#string.replace(#string, #string)', '#string.upperAscii()', '#string.charAt(#int)', '#strings.join(#string)'],
    ...[
      'self.items[#int].name',
      '#strings[#int]',
      'self.map[#string]',
      '#string.trim()',
      'string(#duration)',
      'string(#time)',
    ],
    ...["'%s-%d'.format([#string, #int])", '#bool ? #string : #string', '#string.find("[a-z]")', 'self.either'],
  ],
  ints: [
    ...[
      '[]',
      '[1, 2, 3]',
      '[#int]',
      '[#int, #int]',
      'self.list',
      '#ints + #ints',
      '#ints.map(x, x + #int)',
      'lists.range(3)',
    ],
    ...[
      '#ints.filter(x, x > #int)',
      '#ints.map(x, x > #int, x * 2)',
      '#ints.sort()',
      '#ints.distinct()',
      '#ints.slice(#int, #int)',
    ],
    ...['#ints.transformList(i, v, i + v)', '[[#int], #ints].flatten()', '#ints.reverse()', '#bool ? #ints : #ints'],
  ],
  strings: [
    ...[
      "['a', 'b']",
      '[#string]',
      'self.set',
      '#string.split(#string)',
      '#strings + #strings',
      '#strings.map(s, s + #string)',
    ],
    ...[
      'self.items.map(i, i.name)',
      '#strings.filter(s, s > #string)',
      '#string.findAll("[a-z]")',
      '#ints.map(x, string(x))',
    ],
  ],
  duration: [
    "duration('1h')",
    "duration('90s')",
    'self.duration',
    '#duration + #duration',
    '#time - #time',
    '#duration - #duration',
  ],
  time: ["timestamp('2024-01-01T00:00:00Z')", 'self.time', '#time + #duration', '#time - #duration'],
  any: [
    ...[
      'self.either',
      'dyn(#int)',
      'dyn(#string)',
      'dyn(#double)',
      'dyn(#ints)',
      'null',
      'self.map',
      'self.object',
      '#int',
      '#string',
    ],
    ...[
      "{'a': #int}",
      "{'a': #int}.a",
      "{'a': #int, 'b': #int}.transformMap(k, v, v + #int)",
      '#bool',
      '#ints',
      '#double',
    ],
  ],
}
const types = Object.keys(shapes)
const plain = /^[^#]*$/

/** Expressions, most of which a server takes: now and then one has a part of another type. */
export function generated(count: number, seed: number): string[] {
  const random = seededRandom(seed)
  return Array.from({ length: count }, (_, i) => {
    const draw = random.fork(String(i))
    return expression(draw, choose(draw, types), 3)
  })
}

function expression(draw: Draw, type: string, depth: number): string {
  const wanted = draw() < 0.02 ? choose(draw, types) : type
  const all = shapes[wanted] as readonly string[]
  const shape = choose(draw, depth === 0 ? all.filter(one => plain.test(one)) : all)
  return shape.replace(/#(\w+)/g, (_, inner: string) => bracketed(expression(draw, inner, depth - 1)))
}

function bracketed(text: string): string {
  return /^[\w.']+$/.test(text) ? text : `(${text})`
}
