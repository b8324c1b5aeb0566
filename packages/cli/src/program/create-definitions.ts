import { type ApiServer, install } from '@wherry/apiserver'
import { InstallError } from '@wherry/apiserver/internal'
import { manifestsIn } from '../definitions-in.ts'
import { refused } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { oneLine } from '../one-line.ts'
import { definitionFiles } from './definition-files.ts'

/** Creates the definitions and the admission policies in a folder, and resolves when the server serves the resources. */
export async function createDefinitions(server: ApiServer, folder: string, host: CommandHost): Promise<void> {
  for (const file of await definitionFiles(folder, host.cwd))
    try {
      const { definitions, policies } = await manifestsIn(file, host)
      await install(server, ...definitions, ...policies)
    } catch (error) {
      if (error instanceof InstallError) throw refused(`${file}: ${oneLine(error.message)}`)
      throw error
    }
}
