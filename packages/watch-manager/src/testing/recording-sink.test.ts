import type { KubernetesObject, View } from '@wherry/client'
import { expect, it } from 'vitest'
import { apples } from '../testkit/set-up.ts'
import { RecordingSink } from './recording-sink.ts'

const red = apples.within({ labels: { colour: 'red' } })

const state = (resourceVersion: string): KubernetesObject => ({ metadata: { name: 'a', uid: '1', resourceVersion } })

/** A recorder that has received an object, and its deletion in this state. */
function afterDeletion(view: View, resourceVersion: string): RecordingSink {
  const recorder = new RecordingSink()
  recorder.event({ type: 'reset', view })
  recorder.event({ type: 'changed', view, key: 'a', object: state('1') })
  recorder.event({ type: 'deleted', view, key: 'a', object: state(resourceVersion), finalStateUnknown: false })
  return recorder
}

it('W7: what was deleted may not come again as it was', () => {
  const recorder = afterDeletion(apples, '2')
  recorder.event({ type: 'changed', view: apples, key: 'a', object: state('2') })
  expect(recorder.problems).toEqual([expect.stringMatching(/^changed a of .*: after its deletion$/)])
})

it('D9: what left the selection by its last change may be in another one as it is, and not as it was before', () => {
  const recorder = afterDeletion(red, '2')
  recorder.rescoped(red, apples)
  recorder.event({ type: 'changed', view: apples, key: 'a', object: state('2') })
  recorder.event({ type: 'deleted', view: apples, key: 'a', object: state('2'), finalStateUnknown: false })
  recorder.event({ type: 'changed', view: apples, key: 'a', object: state('2') })
  expect(recorder.problems).toEqual([])
  recorder.event({ type: 'changed', view: apples, key: 'a', object: state('1') })
  expect(recorder.problems).toEqual([expect.stringMatching(/^changed a of .*: 1 after 2$/)])
})
