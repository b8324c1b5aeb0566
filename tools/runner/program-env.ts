/** The ports of an example's program: two plays on one machine take free ones each. In a cluster the program takes its own defaults. */
export const freePorts: Readonly<Record<string, string>> = { PORT: '0', CATALOG_PORT: '0' }
