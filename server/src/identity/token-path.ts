/**
 * Whether the path of an endpoint token covers an endpoint (specification, sections 2.3 and 4.3):
 * an empty one covers all, one that ends in "/" the names below it, any other the one endpoint of
 * that name; so "a" does not cover "a/x".
 */
export function pathCovers(path: string, endpointName: string): boolean {
  if (path === '') return true;
  return path.endsWith('/') ? endpointName.startsWith(path) : endpointName === path;
}
