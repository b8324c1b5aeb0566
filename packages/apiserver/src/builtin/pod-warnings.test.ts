import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../objects/object.ts'
import { hasSameTemplate, namedTemplateWarnings, podWarnings, templateWarnings } from './pod-warnings.ts'

const pod = (spec: object, metadata: object = { name: 'a' }): KubeObject =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata, spec }) as KubeObject
const container = (more: object): object => ({ name: 'a', image: 'a', ...more })

describe('warnings of Pods', () => {
  it.each([
    [
      'a variable that is given twice',
      [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
      ],
      ['env[1]'],
    ],
    [
      'one that builds on the one before it',
      [
        { name: 'A', value: '1' },
        { name: 'A', value: '$(A)2' },
      ],
      [],
    ],
    [
      'one that is the one before it',
      [
        { name: 'A', value: '1' },
        { name: 'A', value: '$(A)' },
      ],
      ['env[1]'],
    ],
    [
      'one from somewhere else',
      [
        { name: 'A', value: '1' },
        { name: 'A', valueFrom: {} },
      ],
      ['env[1]'],
    ],
    [
      'different variables',
      [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ],
      [],
    ],
  ])('F1: of %s', (_, env, at) => {
    const why = 'hides previous definition of "A", which may be dropped when using apply'
    const expected = at.map(one => `spec.initContainers[0].${one}: ${why}`)
    expect(podWarnings(pod({ initContainers: [container({ env })] }), undefined)).toEqual(expected)
  })

  it.each([
    ['duplicate', {}, {}],
    ['duplicate', { hostPort: 1, hostIP: '10.0.0.1' }, { hostPort: 1, hostIP: '10.0.0.1' }],
    ['overlapping', { hostPort: 1 }, {}],
    ['dangerously ambiguous', { hostPort: 1, hostIP: '10.0.0.1' }, { hostPort: 1 }],
    [undefined, { hostPort: 1 }, { hostPort: 2 }],
    [undefined, { hostPort: 1, hostIP: '10.0.0.1' }, { hostPort: 1, hostIP: '10.0.0.2' }],
    [undefined, {}, { protocol: 'UDP' }],
  ])('F1: of a port that is %s in two containers', (how, one, other) => {
    const of = (more: object): object => container({ ports: [{ containerPort: 80, protocol: 'TCP', ...more }] })
    const expected = `spec.containers[1].ports[0]: ${how} port definition with spec.containers[0].ports[0]`
    expect(podWarnings(pod({ containers: [of(one), of(other)] }), undefined)).toEqual(how ? [expected] : [])
  })

  it('F1: of a name of two ports', () => {
    const ports = [80, 81].map(containerPort => ({ containerPort, name: 'http' }))
    expect(podWarnings(pod({ containers: [container({ ports })] }), undefined)).toEqual([
      'spec.containers[0].ports[1]: duplicate port name "http" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
    ])
  })

  it('F1: of a name with dots, when it is created', () => {
    const named = pod({ template: {} }, { name: 'a.b', generation: 2 })
    const why = 'which can result in surprising behavior; a DNS label is recommended: [must not contain dots]'
    expect(podWarnings(named, undefined)).toEqual([`metadata.name: this is used in the Pod's hostname, ${why}`])
    const ofTemplate = namedTemplateWarnings('spec.template')
    expect(ofTemplate(named, undefined)).toEqual([`metadata.name: this is used in Pod names and hostnames, ${why}`])
    expect(ofTemplate(named, pod({}, { name: 'a.b', generation: 1 }))).toEqual([])
  })

  it('F1: of an update that changes the spec, and of a DaemonSet one that changes its template', () => {
    const env = [{ name: 'A' }, { name: 'A' }]
    const template = { spec: { containers: [container({ env })] } }
    const at = (generation: number, more: object): KubeObject => pod({ template, ...more }, { name: 'a', generation })
    const warnings = templateWarnings('spec.template')
    expect(warnings(at(2, {}), at(2, {}))).toEqual([])
    expect(warnings(at(2, {}), at(1, {}))).toHaveLength(1)
    const ofDaemonSets = templateWarnings('spec.template', hasSameTemplate)
    expect(ofDaemonSets(at(2, { minReadySeconds: 1 }), at(1, {}))).toEqual([])
    expect(ofDaemonSets(at(2, {}), at(1, { template: {} }))).toHaveLength(1)
    expect(ofDaemonSets(at(1, {}), undefined)).toHaveLength(1)
  })
})
