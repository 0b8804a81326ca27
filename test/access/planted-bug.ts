// SPDX-License-Identifier: Apache-2.0

/** A line of the access control that is broken on purpose. */
export type PlantedBug = {
  readonly name: string
  readonly file: string
  /** Stands in the file once. */
  readonly find: string
  readonly replace: string
  /** The folders of the tests that have to notice. */
  readonly folders: readonly string[]
}

/** Makes bugs that the tests of these folders have to notice. */
export function plantedIn(...folders: readonly string[]) {
  return (name: string, file: string, find: string, replace: string): PlantedBug => {
    return { name, file, find, replace, folders }
  }
}
