/** The version of this package; a test holds it equal to package.json's. */
export const version: string = '0.0.0'
