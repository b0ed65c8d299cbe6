// trellis: readOnly
// trellis: access users
// trellis: description The titles of an author's books that the caller may see.

export const input = z.object({ author: z.string().min(1) });

export default async function booksBy({ body, q }: Scope<typeof input>) {
  const books = q().startAt('Author', body.author).in('Book', 'WrittenBy').asUser();
  return (await books.nodes()).map(({ Title }) => Title);
}
