/**
 * Reads the tree that the SAML library makes of signed XML: an element is an object with its attributes under "$", its text
 * under "_", and under each local name the list of its children of that name.
 */
export function childrenOf(element: unknown, name: string): readonly unknown[] {
  const found = memberOf(element, name);
  if (found === undefined) return [];
  return Array.isArray(found) ? found : [found];
}

export function attributeOf(element: unknown, name: string): string | undefined {
  const value = memberOf(memberOf(element, '$'), name);
  return typeof value === 'string' ? value : undefined;
}

export function textOf(element: unknown): string | undefined {
  const text = typeof element === 'string' ? element : memberOf(element, '_');
  return typeof text === 'string' ? text : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}
