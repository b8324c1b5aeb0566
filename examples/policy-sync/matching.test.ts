import { startApiServer } from '@wherry/testing'
import { testMatching } from './testkit/matching.ts'

testMatching(() => startApiServer({ kind: 'embedded', clusterObjects: false }))
