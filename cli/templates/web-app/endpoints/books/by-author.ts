// trellis: readOnly
// trellis: description Books of an author, or the newest of all.
export default async function ({ body, q }: Scope<{ author?: string }>) {
  const books = q().startAt('Book').asUser();
  const wanted = body.author ? books.where('AuthorName', 'contains', body.author) : books;
  return wanted.sortByTimestamp('desc').take(20).nodes();
}
