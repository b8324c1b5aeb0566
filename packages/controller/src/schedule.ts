export type { ScheduledTick, ScheduleOptions } from './sources/schedule.ts'
export { Schedule } from './sources/schedule.ts'
