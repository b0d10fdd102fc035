/** The mapping as it stands in its file, with the lines that the last edit changed. */
export function YamlDrawer() {
  return null
}
