/** A program that watches a path of the API server of its KUBECONFIG, and says if it receives an object of a game. It runs until it is ended. */
import { readFileSync } from 'node:fs'
import { request } from 'node:https'

const { clusters, users } = JSON.parse(readFileSync(process.env.KUBECONFIG ?? '', 'utf8'))
const [{ cluster }] = clusters
const [{ user }] = users
request(new URL(process.argv[2] ?? '', cluster.server), {
  ca: Buffer.from(cluster['certificate-authority-data'], 'base64'),
  headers: { authorization: `Bearer ${user.token}` },
})
  .once('response', answer =>
    answer.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('wherry-audit-')) process.stderr.write('received an object of the game\n')
    }),
  )
  .end()
