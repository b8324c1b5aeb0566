import { del, get, post, put, quietly, type Scenario, wait } from '../scenario.ts'
import { cms, configMap } from './shapes.ts'

export const pathScenarios: readonly Scenario[] = [
  {
    name: 'paths with empty and dotted parts',
    steps: [
      quietly(post(cms, configMap('a'))),
      get('//api/v1/namespaces/{ns}/configmaps/a'),
      get('/api//v1/namespaces/{ns}/configmaps/a'),
      get('/api/v1//namespaces/{ns}/configmaps?limit=1'),
      get('/api/v1/namespaces/{ns}//configmaps'),
      get('/api/v1/namespaces/{ns}/configmaps//a'),
      get('/api/v1/namespaces//configmaps?fieldSelector=metadata.namespace={ns}'),
      get('/api/v1/namespaces/{ns}/x/../configmaps/a'),
      get('/api/v1/namespaces/{ns}/./configmaps/a'),
      post('/api/v1/namespaces/{ns}//configmaps', configMap('b')),
      put('//api/v1/namespaces/{ns}/configmaps/a', configMap('a')),
      del('/api/v1//namespaces/{ns}/configmaps/a'),
      get('//version'),
      get('/apis//apps'),
      get('/healthz//'),
    ],
  },
  {
    name: 'a namespace that is not empty yet says why',
    steps: [
      quietly(post('/api/v1/namespaces', { metadata: { name: '{ns}-going' } })),
      quietly(
        post('/api/v1/namespaces/{ns}-going/configmaps', { metadata: { name: 'a', finalizers: ['example.com/a'] } }),
      ),
      quietly(
        post('/api/v1/namespaces/{ns}-going/secrets', { metadata: { name: 'b', finalizers: ['example.com/b'] } }),
      ),
      quietly(
        post('/api/v1/namespaces/{ns}-going/secrets', { metadata: { name: 'c', finalizers: ['example.com/b'] } }),
      ),
      quietly(del('/api/v1/namespaces/{ns}-going')),
      wait('/api/v1/namespaces/{ns}-going', { condition: 'NamespaceFinalizersRemaining' }),
      get('/api/v1/namespaces/{ns}-going'),
    ],
    except: ['*.body.metadata.managedFields'],
  },
]
