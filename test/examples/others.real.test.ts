import { others } from './long.ts'
import { playOnARealServer } from './on-a-real-server.ts'

playOnARealServer(others)
