package host

import (
	"context"
	"sync"
	"time"

	"oriel.dev/oriel/internal/store"
)

// idBlock is how many window ids are taken from the database at a time. Those
// that are left when the host ends are never used.
const idBlock = 64

// ids hands out numbers for window ids, none of them twice, ever.
type ids struct {
	store *store.Store

	mu         sync.Mutex // guards the following fields
	first, end int64      // the numbers left of the present block: first up to, not including, end
}

// idTime bounds the write that reserves a block.
const idTime = 5 * time.Second

func (s *ids) next() (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == s.end {
		ctx, cancel := context.WithTimeout(context.Background(), idTime)
		defer cancel()
		first, err := s.store.ReserveIDs(ctx, idBlock)
		if err != nil {
			return 0, err
		}
		s.first, s.end = first, first+idBlock
	}
	s.first++
	return s.first - 1, nil
}
