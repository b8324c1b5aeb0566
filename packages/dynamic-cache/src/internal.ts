/** What Wherry's other packages need of this one. It may change with any release, a patch too: programs import from the package itself. */
export { informerCells, megabytes, tableLines } from './report-text.ts'
