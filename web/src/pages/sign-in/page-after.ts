/**
 * Where to go after signing in: a page of this workspace, and nowhere else, whoever made the link.
 */
export function pageAfter(returnTo: string | undefined): string {
  // A path of the server, as others than this front end give it, has its page in the hash.
  const page = returnTo?.replace(/^\/#(?=\/)/, '');
  return page !== undefined && /^\/(?!\/|sign-in\b|signed-in\b)/.test(page) ? page : '/';
}
