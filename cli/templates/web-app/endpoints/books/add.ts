// trellis: description Adds a book, or changes the one with this ISBN.
export const input = z.object({
  isbn: z.string().min(1),
  title: z.string().min(1),
  author: z.string(),
});

export default async function ({ body, graph }: Scope<typeof input>) {
  const { isbn, title, author } = body;
  await graph.addOrUpdate('Book', isbn, { Title: title, AuthorName: author });
  return graph.get('Book', isbn);
}
