/** A program that reads a path of the API server of its KUBECONFIG as another user, and prints the status: `read-as.ts PATH USER GROUP`. */
import { readFileSync } from 'node:fs'
import { request } from 'node:https'

const [path = '', user = '', group = ''] = process.argv.slice(2)
const { clusters, users } = JSON.parse(readFileSync(process.env.KUBECONFIG ?? '', 'utf8'))
const [{ cluster }] = clusters
request(new URL(path, cluster.server), {
  ca: Buffer.from(cluster['certificate-authority-data'], 'base64'),
  headers: {
    authorization: `Bearer ${users[0].user.token}`,
    'impersonate-user': user,
    'impersonate-group': group,
    'impersonate-extra-scopes': 'view',
  },
})
  .once('response', answer => {
    console.log(`answered ${answer.statusCode}`)
    answer.resume()
  })
  .end()
