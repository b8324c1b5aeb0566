import { startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { actAs } from './act-as.ts'

it('with the roles that --rbac prints, and no others, a program acts as the same user, and does not get the rights of that user', async () => {
  await using server = await startApiServer({ authorization: 'RBAC' })
  const { roles, written } = await actAs(server)
  expect(roles.flatMap(({ rules }) => rules)).toEqual([
    { apiGroups: [''], resources: ['groups'], resourceNames: ['readers'], verbs: ['impersonate'] },
    { apiGroups: [''], resources: ['users'], resourceNames: ['jane'], verbs: ['impersonate'] },
    {
      ...{ apiGroups: ['authentication.k8s.io'], resources: ['userextras/scopes'], resourceNames: ['view'] },
      verbs: ['impersonate'],
    },
  ])
  expect(written).toEqual(['answered 200\n', 'answered 200\n'])
})
