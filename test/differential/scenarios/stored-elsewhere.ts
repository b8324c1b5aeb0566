import { apply, collect, del, get, merge, post, put, quietly, type Scenario, watch } from '../scenario.ts'

const core = '/api/v1/namespaces/{ns}/events'
const newer = '/apis/events.k8s.io/v1/namespaces/{ns}/events'
const scalers = (version: string): string => `/apis/autoscaling/${version}/namespaces/{ns}/horizontalpodautoscalers`
const event = (name: string): object => ({
  metadata: { name },
  eventTime: '2026-01-02T03:04:05.000006Z',
  reportingController: 'example.com/c',
  reportingInstance: 'c-1',
  action: 'Do',
  reason: 'Done',
  regarding: { kind: 'Pod', name: 'p', namespace: '{ns}' },
  note: 'it is done',
  type: 'Normal',
})
const scaler = (name: string, more: object = {}): object => ({
  metadata: { name },
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 3, ...more },
})

/** Resources that are stored as those of another version. */
export const storedElsewhereScenarios: readonly Scenario[] = [
  {
    name: 'an event of events.k8s.io is one of the core group',
    steps: [
      watch('core', `${core}?watch=1`),
      watch('newer', `${newer}?watch=1`),
      post(newer, event('a')),
      get(`${core}/a`),
      get(`${newer}/a`),
      merge(`${newer}/a`, { series: { count: 2, lastObservedTime: '2026-01-02T03:04:06.000000Z' } }),
      get(newer),
      get(core),
      get(`${newer}?fieldSelector=regarding.name=p`),
      get(`${newer}?fieldSelector=regarding.name=q`),
      del(`${newer}/a`),
      collect('core', { events: 3 }),
      collect('newer', { events: 3 }),
      get(`${core}/a`),
    ],
    except: [
      '*.body.metadata.managedFields',
      '*.body.items.*.metadata.managedFields',
      '*.events.*.object.metadata.managedFields',
    ],
  },
  {
    name: 'an event of the core group is one of events.k8s.io',
    steps: [
      quietly(
        post(core, {
          metadata: { name: 'b' },
          involvedObject: { kind: 'Pod', name: 'p', namespace: '{ns}' },
          reason: 'Done',
          message: 'it is done',
          source: { component: 'c', host: 'h' },
          firstTimestamp: '2026-01-02T03:04:05Z',
          lastTimestamp: '2026-01-02T03:04:05Z',
          count: 1,
          type: 'Warning',
        }),
      ),
      get(`${newer}/b`),
      apply('m', `${newer}/c`, { apiVersion: 'events.k8s.io/v1', kind: 'Event', ...event('c') }),
      get(`${newer}/c`),
    ],
    except: ['*.body.metadata.managedFields.*.time', '0.body.metadata.managedFields'],
  },
  {
    name: 'an autoscaler at v1 is one at v2',
    steps: [
      watch('w', `${scalers('v1')}?watch=1`),
      post(scalers('v1'), scaler('a', { targetCPUUtilizationPercentage: 70 })),
      get(`${scalers('v2')}/a`),
      get(`${scalers('v1')}/a`, { save: { rv: 'metadata.resourceVersion' } }),
      merge(`${scalers('v1')}/a`, { spec: { targetCPUUtilizationPercentage: 60, minReplicas: 2 } }),
      merge(`${scalers('v1')}/a/status`, { status: { currentReplicas: 2, desiredReplicas: 2 } }),
      get(`${scalers('v2')}/a`),
      put(`${scalers('v1')}/a`, scaler('a', { targetCPUUtilizationPercentage: 60, minReplicas: 2 })),
      get(scalers('v1')),
      collect('w', { events: 3 }),
      post(
        scalers('v2'),
        scaler('b', {
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
          ],
        }),
      ),
      get(`${scalers('v1')}/b`),
      del(`${scalers('v1')}/b`),
      apply('m', `${scalers('v1')}/c`, {
        apiVersion: 'autoscaling/v1',
        kind: 'HorizontalPodAutoscaler',
        ...scaler('c', { targetCPUUtilizationPercentage: 40 }),
      }),
      get(`${scalers('v2')}/c`),
    ],
    except: [
      '*.body.metadata.managedFields',
      '*.body.items.*.metadata.managedFields',
      '*.events.*.object.metadata.managedFields',
    ],
  },
]
