export { Schedule } from './sources/schedule.ts'
