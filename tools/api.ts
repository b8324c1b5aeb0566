/** Writes what can be imported from each package into `packages/*\/api`: `node tools/api.ts`, after `npm run build`. */
import { writeApiReports } from './checks/api.ts'

writeApiReports()
