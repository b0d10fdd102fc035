const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A text in which every sign that means something in HTML, in content or in an attribute, stands for itself. */
export const escapedMarkup = (text: string): string =>
  text.replaceAll(/[&<>"']/g, sign => entities[sign] ?? sign)
