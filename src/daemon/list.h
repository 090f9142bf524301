/* A ring of members, doubly linked, with a head that belongs to nobody. */
#pragma once

struct list {
	struct list *next, *previous;
};

static inline void list_init(struct list *head)
{
	head->next = head->previous = head;
}

static inline void list_append(struct list *head, struct list *member)
{
	member->previous = head->previous;
	member->next = head;
	head->previous->next = member;
	head->previous = member;
}

static inline void list_remove(struct list *member)
{
	member->previous->next = member->next;
	member->next->previous = member->previous;
	list_init(member);
}

/* The member at hand may be removed and freed, but no other one. */
#define list_each(at, head)                                                       \
	for (struct list *at = (head)->next, *at##_next = at->next; at != (head); \
	     at = at##_next, at##_next = at->next)
