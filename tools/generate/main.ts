import { parseArgs } from 'node:util'
import { startRealApiServer } from '../../packages/testing/src/real/real-apiserver.ts'
import { root } from '../workspace.ts'
import { connect } from './cluster.ts'
import { staleFiles, updateFiles } from './generated-file.ts'
import { generateAll } from './generators.ts'
import { protobufMessages } from './protobuf-messages.ts'

/**
 * Rewrites the files that are generated from a real API server. `--check` writes nothing, and exits with 1 when a file is not
 * what it would be.
 */
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const server = await startRealApiServer({ build: true, onProgress: line => console.error(`generate: ${line}`) })
const cluster = connect(server)
try {
  for (const generated of [...(await generateAll(cluster)), protobufMessages()]) {
    const paths = values.check ? await staleFiles(root, generated) : await updateFiles(root, generated)
    for (const path of paths) console.log(`${values.check ? 'stale' : 'written'}: ${path}`)
    if (values.check && paths.length > 0) process.exitCode = 1
  }
} finally {
  cluster.close()
  await server.close()
}
